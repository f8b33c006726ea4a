// SPDX-License-Identifier: Apache-2.0

// Package peak says how much memory a process had at most, for what is measured on whole processes: cmd/bench, cmd/gauntlet and
// tests of bounds. It reads what the system keeps of a process that has ended, so that no sampling can miss the peak.
//
// On Linux the peak of a process is no less than that of the one it was forked from, when it was forked: whoever has much itself
// puts a small process in between.
package peak
