// SPDX-License-Identifier: Apache-2.0

package executor

var pushFaults = map[string]func(*behaviour){}
