// SPDX-License-Identifier: Apache-2.0

package executor

var cardFaults = map[string]func(*behaviour){}
