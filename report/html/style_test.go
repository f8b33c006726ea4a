// SPDX-License-Identifier: Apache-2.0

package html

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestNothingMovesWhereLinksLead: a browser that scrolls smoothly over what it has not laid out yet lands somewhere else. Where
// a browser is at hand, TestBrowserLinksLeadWhereTheySay looks for itself.
func TestNothingMovesWhereLinksLead(t *testing.T) {
	t.Parallel()
	rules := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(style, "")
	for _, word := range []string{"scroll-behavior", "content-visibility", "contain-intrinsic-size"} {
		if strings.Contains(rules, word) {
			t.Errorf("the style has %s", word)
		}
	}
	if strings.Contains(script, "smooth") {
		t.Error("the script scrolls smoothly")
	}
}

// colour matches a colour of the style.
var colour = regexp.MustCompile(`--(\w+): #([0-9a-f]{6})`)

func TestHTMLColoursHaveContrast(t *testing.T) {
	t.Parallel()
	themes := strings.Split(style, ":root {")[1:]
	if len(themes) != 3 {
		t.Fatalf("there are %d themes, want light, dark and print", len(themes))
	}
	for i, theme := range themes {
		theme, _, _ = strings.Cut(theme, "}")
		colours := map[string]float64{}
		for _, m := range colour.FindAllStringSubmatch(theme, -1) {
			colours[m[1]] = luminance(m[2])
		}
		for _, name := range []string{"text", "muted", "link", "fail", "blocked", "waived", "warn", "skip", "pass", "sent", "received"} {
			for _, back := range []string{"back", "raised"} {
				if c := contrast(colours[name], colours[back]); c < 4.5 {
					t.Errorf("theme %d: %s on %s has the contrast %.2f, want 4.5", i, name, back, c)
				}
			}
		}
	}
}

// luminance is the relative luminance of a colour, as WCAG 2 defines it.
func luminance(hex string) float64 {
	n, _ := strconv.ParseUint(hex, 16, 32)
	channel := func(shift uint) float64 {
		c := float64(n>>shift&0xff) / 255
		if c <= 0.03928 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }
