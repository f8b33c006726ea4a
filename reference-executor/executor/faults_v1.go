// SPDX-License-Identifier: Apache-2.0

package executor

var v1Faults = map[string]func(*behaviour){}
