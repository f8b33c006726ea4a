// SPDX-License-Identifier: Apache-2.0

package html

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

// A visit is a page as a browser shows it once its script has run.
type visit struct {
	root  *html.Node
	log   []string // what the page and the browser complained of
	asked []string // requests
}

// A tab is a page in a browser without a screen.
type tab struct {
	ctx context.Context
	mu  sync.Mutex
	visit
}

// openTab opens a page in a browser without a screen, at a fragment of its address, in a window of a size.
func openTab(t *testing.T, page, fragment string, width, height int64) *tab {
	t.Helper()
	browser := browserPath(t)
	b := new(tab)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.asked = append(b.asked, q.Method+" "+q.Host+q.URL.Path)
		if q.URL.Path != "/" {
			http.NotFound(w, q)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(page))
	}))
	t.Cleanup(server.Close)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.UserDataDir(t.TempDir()), chromedp.DisableGPU,
		// Whatever the page asked of anyone else would come here too.
		chromedp.ProxyServer(server.URL), chromedp.Flag("proxy-bypass-list", "<-loopback>"), chromedp.Flag("disable-component-update", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it refuses to run as root with one
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	b.ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Listen(b.ctx, b.hear); err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height), chromedp.Navigate("http://report.example/"+fragment)); err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	t.Cleanup(func() { b.complain(t) })
	return b
}

// hear keeps what the page or the browser complains of.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.log = append(b.log, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.log = append(b.log, fmt.Sprintf("console.%s", e.Type))
	case *log.EventEntryAdded:
		if !strings.HasSuffix(e.Entry.URL, "/favicon.ico") {
			b.log = append(b.log, e.Entry.Text)
		}
	}
}

// complain fails the test for what the page did that no page of ours does.
func (b *tab) complain(t *testing.T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, line := range b.log {
		t.Errorf("the console says: %s", line)
	}
	for _, request := range b.asked {
		if request != "GET report.example/" && request != "GET report.example/favicon.ico" && strings.Contains(request, "example") {
			t.Errorf("the page asked for %s", request)
		}
	}
}

// browse opens a page and takes the document out again.
func browse(t *testing.T, page, fragment string) *visit {
	t.Helper()
	b := openTab(t, page, fragment, 1280, 800)
	text, err := chromedp.Run(b.ctx, chromedp.Evaluate[string]("'<!doctype html>' + document.documentElement.outerHTML"))
	if err != nil {
		t.Fatal(err)
	}
	b.root = parsedPage(t, text)
	return &b.visit
}

// browserPath finds a Chromium: CHROMIUM in the environment, or one on PATH.
func browserPath(t *testing.T) string {
	t.Helper()
	if named := os.Getenv("CHROMIUM"); named != "" {
		return named
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no browser: neither CHROMIUM in the environment nor chromium or google-chrome on PATH")
	return ""
}

// element returns the element with the id.
func (v *visit) element(t *testing.T, id string) *html.Node {
	t.Helper()
	for n := range v.root.Descendants() {
		if attribute(n, "id") == id {
			return n
		}
	}
	t.Fatalf("the document has no element %q", id)
	return nil
}

// shown lists the ids of the results that are not hidden.
func (v *visit) shown() []string {
	var ids []string
	for n := range v.root.Descendants() {
		if n.DataAtom == atom.Article && !has(n, "hidden") {
			ids = append(ids, attribute(n, "id"))
		}
	}
	return ids
}

func TestBrowserFiltersByTheAddress(t *testing.T) {
	t.Parallel()
	page := reporttest.Rendered(t, Write, reporttest.EveryOutcome())
	for _, row := range []struct{ name, fragment, shown, says string }{
		{"everything", "", "AUTH-004 TASK-020 TASK-033 EXT-031 EXT-032 SSE-001 SSE-002 OBS-011", "8 results."},
		{"outcomes", "#?outcome=fail,waived", "TASK-020 OBS-011", "2 of 8 results shown."},
		{"surface, level and words, not of exchanges", "#?surface=tasks&level=MUST&q=Canceled+open", "TASK-020", "1 of 8 results shown."},
		{"in exchanges", "#?q=retry-after&in=exchanges", "SSE-001", "1 of 8 results shown."},
	} {
		t.Run(row.name, func(t *testing.T) {
			v := browse(t, page, row.fragment)
			if got := strings.Join(v.shown(), " "); got != row.shown {
				t.Errorf("shown are %q, want %q", got, row.shown)
			}
			if got := inline(v.element(t, "filter-count")); got != row.says {
				t.Errorf("the count says %q, want %q", got, row.says)
			}
			if has(v.element(t, "filter"), "hidden") {
				t.Error("the filter is hidden")
			}
		})
	}
}

func TestBrowserOpensTheResultOfTheAddress(t *testing.T) {
	t.Parallel()
	v := browse(t, reporttest.Rendered(t, Write, reporttest.EveryOutcome()), "#EXT-032")
	for n := range v.element(t, "EXT-032").ChildNodes() {
		if n.DataAtom == atom.Details && !has(n, "open") {
			t.Error("EXT-032 is folded")
		}
	}
}

func TestBrowserRunsNothingOfTheTarget(t *testing.T) {
	t.Parallel()
	v := browse(t, reporttest.Rendered(t, Write, reporttest.EveryOutcome().Copy(func(string) string { return reporttest.HostileText })), "")
	for n := range v.root.Descendants() {
		if _, known := pageElements[n.Data]; n.Type == html.ElementNode && !known {
			t.Errorf("the document has a foreign element <%s>", n.Data)
		}
	}
	if got := inline(v.element(t, "filter-count")); got != "8 results." {
		t.Errorf("the count says %q: the script did not run", got)
	}
}

func TestBrowserCopesWithAFullPage(t *testing.T) {
	t.Parallel()
	v := browse(t, reporttest.Rendered(t, Write, reporttest.Many(200, report.Fail, strings.Repeat("x", 400))), "#?q=many-0199")
	if got := strings.Join(v.shown(), " "); got != "MANY-0199" {
		t.Errorf("shown are %.200q", got)
	}
}
