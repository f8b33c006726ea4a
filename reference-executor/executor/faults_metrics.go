// SPDX-License-Identifier: Apache-2.0

package executor

var metricsFaults = map[string]func(*behaviour){}
