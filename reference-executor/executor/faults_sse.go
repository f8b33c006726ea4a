// SPDX-License-Identifier: Apache-2.0

package executor

var sseFaults = map[string]func(*behaviour){}
