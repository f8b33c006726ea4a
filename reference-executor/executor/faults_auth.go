// SPDX-License-Identifier: Apache-2.0

package executor

var authFaults = map[string]func(*behaviour){}
