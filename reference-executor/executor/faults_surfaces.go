// SPDX-License-Identifier: Apache-2.0

package executor

var surfaceFaults = map[string]func(*behaviour){}
