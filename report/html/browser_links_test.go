// SPDX-License-Identifier: Apache-2.0

package html

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

// linksOf numbers the links of the page that lead to a place in it, opens whatever they are folded in, and returns their names.
const linksOf = `(() => {
	for (const details of document.querySelectorAll('details')) details.open = true;
	return [...document.querySelectorAll('a[href^="#"]')].map((a, i) => {
		a.dataset.test = i;
		return a.getAttribute('href') + ' ' + a.textContent.trim();
	});
})()`

// reach brings a link into view, as somebody does who wants to click it, and says where it is then.
const reach = `(() => {
	document.getElementById('filter-reset').click();
	const a = document.querySelector('[data-test="%d"]');
	a.focus({preventScroll: true});
	a.scrollIntoView({block: 'center', behavior: 'instant'});
	const box = a.getClientRects()[0];
	return [box.x + box.width / 2, box.y + box.height / 2];
})()`

// A standing is where the page stands: the place that a link leads to, in pixels from the upper edge of the window.
type standing struct {
	Top, Bottom, Window float64
	End                 bool // the page cannot scroll any further
	Hidden              bool // the place is not shown at all
}

// stands waits until the page moves no more, and says where it stands.
const stands = `new Promise((done) => {
	const place = document.getElementById(%q);
	let last = NaN, same = 0;
	const look = () => {
		const {top, bottom} = place.getBoundingClientRect();
		same = top === last ? same + 1 : 0;
		last = top;
		if (same < 12) return requestAnimationFrame(look);
		done({Top: top, Bottom: bottom, Window: innerHeight, Hidden: place.getClientRects().length === 0,
			End: scrollY + innerHeight >= document.documentElement.scrollHeight - 1});
	};
	look();
})`

// TestBrowserLinksLeadWhereTheySay clicks every link of a page that leads to a place in it, and looks where the page stands then.
func TestBrowserLinksLeadWhereTheySay(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("A long line of what the target said. ", 20)
	for _, row := range []struct {
		name          string
		run           *report.Run
		width, height int64
		most          int // links to click, spread over all of them
	}{
		{"every outcome", reporttest.EveryOutcome(), 1280, 800, 500},
		{"every outcome, on a telephone", reporttest.EveryOutcome(), 390, 844, 500},
		{"conversations", reporttest.Streamed(), 1280, 800, 500},
		{"root causes", reporttest.CommonCauses(), 1280, 800, 500},
		{"many failures", reporttest.Many(150, report.Fail, long), 1280, 800, 40},
		{"many passes", reporttest.Many(500, report.Pass, long), 1280, 800, 40},
	} {
		t.Run(row.name, func(t *testing.T) { // one after the other: a tab behind another is drawn seldom
			b := openTab(t, reporttest.Rendered(t, Write, row.run), "", row.width, row.height)
			links, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](linksOf))
			if err != nil {
				t.Fatal(err)
			}
			step := max(1, (len(links)+row.most-1)/row.most)
			clicked := 0
			for i := 0; i < len(links); i += step {
				id, _, _ := strings.Cut(strings.TrimPrefix(links[i], "#"), " ")
				at, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]float64](fmt.Sprintf(reach, i)))
				if err != nil {
					t.Fatalf("%s: %v", links[i], err)
				}
				if err := chromedp.Do(b.ctx, chromedp.MouseClickXY(at[0], at[1])); err != nil {
					t.Fatalf("%s: %v", links[i], err)
				}
				b.standsAt(t, links[i], id)
				clicked++
			}
			if clicked < min(10, len(links)) {
				t.Errorf("%d of %d links were clicked", clicked, len(links))
			}
		})
	}
}

// standsAt looks whether the place is where somebody looks who has just followed a link: in the upper third of the window, or
// where the page ends anywhere in it.
func (b *tab) standsAt(t *testing.T, link, id string) {
	t.Helper()
	s, err := chromedp.Run(b.ctx, chromedp.Evaluate[standing](fmt.Sprintf(stands, id), chromedp.EvalAwaitPromise))
	switch {
	case err != nil:
		t.Fatalf("%s: %v", link, err)
	case s.Hidden:
		t.Errorf("%s: the place is hidden", link)
	case s.Top < -1 || s.Top > s.Window/3 && !s.End || s.Top > s.Window-10:
		t.Errorf("%s: the place is %.0f px from the upper edge of a window of %.0f px (at the end of the page: %v)", link, s.Top, s.Window, s.End)
	}
}

// TestBrowserOpensWhereTheAddressSays opens reports at a result, as a link in a ticket does.
func TestBrowserOpensWhereTheAddressSays(t *testing.T) {
	t.Parallel()
	page := reporttest.Rendered(t, Write, reporttest.Many(150, report.Fail, "said"))
	for _, id := range []string{"MANY-0003", "MANY-0077", "MANY-0149", "claims", "again"} {
		b := openTab(t, page, "#"+id, 1280, 800)
		b.standsAt(t, "#"+id, id)
	}
}
