// SPDX-License-Identifier: Apache-2.0

package executor

var tenantFaults = map[string]func(*behaviour){}
