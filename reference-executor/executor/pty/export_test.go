// SPDX-License-Identifier: Apache-2.0

package pty

// The strict readers, for tests that look at executors from outside.
var (
	ParseObject = parseObject
	Number      = number
)
