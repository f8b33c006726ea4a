// SPDX-License-Identifier: Apache-2.0

package html

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/reporttest"
)

// A visit is a page as a browser shows it once its script has run.
type visit struct {
	root  *html.Node
	log   string   // what the browser wrote, its console among it
	asked []string // requests
}

// browse opens a page in a browser without a screen and takes the document out again.
func browse(t *testing.T, page, fragment string) *visit {
	t.Helper()
	browser := browserPath(t)
	v := new(visit)
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		v.asked = append(v.asked, q.Method+" "+q.Host+q.URL.Path)
		if q.URL.Path != "/" {
			http.NotFound(w, q)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte(page))
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	args := []string{
		"--headless", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--user-data-dir=" + t.TempDir(), "--virtual-time-budget=20000",
		// Whatever the page asked of anyone else would come here too.
		"--proxy-server=" + host, "--proxy-bypass-list=<-loopback>", "--disable-background-networking", "--disable-component-update",
		"--enable-logging=stderr", "--dump-dom",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // it refuses to run as root with one
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, browser, append(args, "http://report.example/"+fragment)...)
	command.WaitDelay = 5 * time.Second
	var out, log bytes.Buffer
	command.Stdout, command.Stderr = &out, &log
	if err := command.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", browser, err, log.String())
	}
	v.root, v.log = parsedPage(t, out.String()), log.String()
	mu.Lock()
	defer mu.Unlock()
	for line := range strings.Lines(v.log) {
		if strings.Contains(line, ":CONSOLE") {
			t.Errorf("the console says: %s", strings.TrimSpace(line))
		}
	}
	for _, request := range v.asked {
		if request != "GET report.example/" && strings.Contains(request, "example") {
			t.Errorf("the page asked for %s", request)
		}
	}
	return v
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
