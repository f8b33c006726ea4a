// SPDX-License-Identifier: Apache-2.0

package executor

var errorFaults = map[string]func(*behaviour){}
