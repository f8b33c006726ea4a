// SPDX-License-Identifier: Apache-2.0

package executor

var adminFaults = map[string]func(*behaviour){}
