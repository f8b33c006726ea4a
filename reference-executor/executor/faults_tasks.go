// SPDX-License-Identifier: Apache-2.0

package executor

var taskFaults = map[string]func(*behaviour){}
