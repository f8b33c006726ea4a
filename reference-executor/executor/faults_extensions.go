// SPDX-License-Identifier: Apache-2.0

package executor

var extensionFaults = map[string]func(*behaviour){}
