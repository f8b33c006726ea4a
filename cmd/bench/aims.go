// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"
)

// An aim is one figure with what it should be at most.
type aim struct {
	what     string
	most     float64
	measured float64
	unit     string // "x", " ms", " MiB", " s"
}

// aimed is the table of the aims.
func aimed(aims []aim) string {
	var b strings.Builder
	fmt.Fprint(&b, "| What | Aim | Measured | |\n|---|---:|---:|---|\n")
	for _, a := range aims {
		verdict := "held"
		if a.measured > a.most {
			verdict = "**missed**"
		}
		fmt.Fprintf(&b, "| %s | at most %s%s | %s%s | %s |\n", a.what, number(a.most), a.unit, number(a.measured), a.unit, verdict)
	}
	return b.String()
}

// number writes a figure with as many digits as it is worth.
func number(f float64) string {
	switch {
	case f < 10:
		return strings.TrimSuffix(strings.TrimSuffix(fmt.Sprintf("%.2f", f), "0"), ".0")
	case f < 100:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0")
	}
	return fmt.Sprintf("%.0f", f)
}
