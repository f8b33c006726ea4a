// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package pulse

import "time"

// ofProcessors is not known: the system does not say how long a process has waited for a processor.
func ofProcessors(time.Time) (had, waited time.Duration, known bool) { return 0, 0, false }
