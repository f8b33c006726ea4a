// SPDX-License-Identifier: Apache-2.0

package executor

var hitlFaults = map[string]func(*behaviour){}
