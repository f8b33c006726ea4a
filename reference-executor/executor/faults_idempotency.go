// SPDX-License-Identifier: Apache-2.0

package executor

var idempotencyFaults = map[string]func(*behaviour){}
