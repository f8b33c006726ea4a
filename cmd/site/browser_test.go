// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "folder for pictures of the pages, for somebody to look at")

// A tab is a page in a browser without a screen.
type tab struct {
	ctx  context.Context
	mu   sync.Mutex
	says []string // what the page and the browser complained of
}

// openTab opens a page in a browser without a screen.
func openTab(t *testing.T, address string, width, height int64) *tab {
	t.Helper()
	browser := browserPath(t)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.UserDataDir(t.TempDir()), chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it refuses to run as root with one
	}
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	b := new(tab)
	b.ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Listen(b.ctx, b.hear); err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	if _, err := chromedp.Call(b.ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	b.do(t, chromedp.EmulateViewport(width, height), chromedp.Navigate(address))
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, line := range b.says {
			t.Errorf("the console says: %s", line)
		}
	})
	return b
}

// hear keeps what the page or the browser complains of.
func (b *tab) hear(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		b.says = append(b.says, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		b.says = append(b.says, fmt.Sprintf("console.%s", e.Type))
	case *log.EventEntryAdded:
		b.says = append(b.says, e.Entry.Text+" "+e.Entry.URL)
	}
}

func (b *tab) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// ask evaluates an expression in the page.
func ask[T any](t *testing.T, b *tab, expression string) T {
	t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return got
}

// until waits until an expression holds in the page. While another page is loaded there may be none to ask.
func (b *tab) until(t *testing.T, expression string) {
	t.Helper()
	frame := chromedp.Evaluate[bool]("new Promise((done) => requestAnimationFrame(() => done(true)))", chromedp.EvalAwaitPromise)
	for end := time.Now().Add(time.Minute); ; {
		holds, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("document.readyState === 'complete' && Boolean("+expression+")"))
		if holds && err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("within a minute this did not come to hold: %s (%v)", expression, err)
		}
		_, _ = chromedp.Run(b.ctx, frame)
	}
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

// addresses are the two ways in which a site is read: from a plain server, below any path, and as files.
func addresses(t *testing.T) map[string]string {
	t.Helper()
	folder := madeSite(t)
	server := httptest.NewServer(http.StripPrefix("/some/where", http.FileServer(http.Dir(folder))))
	t.Cleanup(server.Close)
	return map[string]string{"served": server.URL + "/some/where", "files": "file://" + filepath.ToSlash(folder)}
}

// TestBrowserFindsARequirement: from the list of versions to a page, to a search, to the requirement, and from there to its test.
func TestBrowserFindsARequirement(t *testing.T) {
	t.Parallel()
	browserPath(t)
	for name, address := range addresses(t) {
		t.Run(name, func(t *testing.T) {
			b := openTab(t, address+"/index.html", 1280, 800)
			b.do(t, chromedp.Click(chromedp.CSS("a.latest")))
			b.until(t, `/\/latest\/(index.html)?$/.test(location.pathname) && !document.getElementById("site-search").hidden`)
			b.do(t, chromedp.Click(`//nav//a[text()="For operators"]`))
			b.until(t, `document.querySelector("h1")?.textContent === "For operators" && !document.getElementById("site-search").hidden`)

			b.do(t, chromedp.SendKeys(chromedp.CSS("#site-query"), "card-011"))
			b.until(t, `document.querySelector("#site-found li a b")?.textContent.startsWith("CARD-011 ")`)
			b.do(t, chromedp.SendKeys(chromedp.CSS("#site-query"), "\r"))
			b.until(t, `location.href.endsWith("/requirements/agentic-sandbox-v2/card.html#CARD-011")`)
			b.until(t, `document.querySelector("section:target")?.id === "CARD-011"`)
			if top := ask[float64](t, b, `document.querySelector("section:target").getBoundingClientRect().top`); top < 0 || top > 400 {
				t.Errorf("the requirement is shown %.0f pixels below the top of the window", top)
			}
			b.do(t, chromedp.Click(chromedp.CSS("#CARD-011 summary")))
			b.until(t, `document.querySelector("#CARD-011 pre").innerText.includes("What is rejected")`)

			b.do(t, chromedp.Click(chromedp.CSS("a.version")))
			b.until(t, `document.querySelector("main.versions") !== null`)
		})
	}
}

// TestBrowserSearches: words, beginnings of words, words with a mistake in them, faults, and what is nowhere.
func TestBrowserSearches(t *testing.T) {
	t.Parallel()
	b := openTab(t, addressOf(t, "index.html"), 1280, 800)
	b.until(t, `!document.getElementById("site-search").hidden`)
	for _, c := range []struct{ query, title, page string }{
		{"A2A-CARD-001", "A2A-CARD-001 ", "a2a-card of a2a-1.0"},
		{"CARD-011", "CARD-011 ", "card of agentic-sandbox-v2"},
		{"skip budg", "", "Policy"},
		{"rest-interface-without-agent-prefix", "CARD-011 ", "card of agentic-sandbox-v2"},
		{"keyframe anchor_sequence", "", ""},
		{"basline", "", "Policy"},
		{"starts_with", "starts_with", "Vocabulary"},
	} {
		b.do(t, chromedp.SetValue(chromedp.CSS("#site-query"), c.query))
		_ = ask[bool](t, b, `document.getElementById("site-query").dispatchEvent(new Event("input"))`)
		b.until(t, `document.querySelectorAll("#site-found li").length > 0 && document.querySelector("#site-found").dataset.for === document.getElementById("site-query").value`)
		first := ask[[]string](t, b, `[...document.querySelectorAll("#site-found li")].slice(0, 5).map((li) => li.querySelector("b").textContent + " | " + (li.querySelector(".page").textContent || li.querySelector("b").textContent))`)
		if !strings.HasPrefix(first[0], c.title) {
			t.Errorf("%q finds first %q, want %q", c.query, first[0], c.title)
		}
		if !strings.Contains(strings.Join(first, "\n"), c.page) {
			t.Errorf("%q finds %q, want something of %q among them", c.query, first, c.page)
		}
	}
	b.do(t, chromedp.SetValue(chromedp.CSS("#site-query"), "<b>zzzqqq"))
	_ = ask[bool](t, b, `document.getElementById("site-query").dispatchEvent(new Event("input"))`)
	b.until(t, `document.getElementById("site-count").textContent.startsWith("Nothing has") && document.querySelectorAll("#site-found b").length === 0`)
	b.do(t, chromedp.SendKeys(chromedp.CSS("#site-query"), "\x1b"))
	b.until(t, `document.getElementById("site-found").hidden`)
}

func addressOf(t *testing.T, page string) string {
	t.Helper()
	return addresses(t)["served"] + "/" + tested + "/" + page
}

// TestBrowserOnAPhone: no page is wider than the window, and the list of pages is there.
func TestBrowserOnAPhone(t *testing.T) {
	t.Parallel()
	address := addresses(t)["served"]
	b := openTab(t, address+"/index.html", 360, 740)
	for name := range documents(t, filepath.Join(madeSite(t), tested)) {
		b.do(t, chromedp.Navigate(address+"/"+tested+"/"+name))
		if wide := ask[float64](t, b, "document.documentElement.scrollWidth"); wide > 360 {
			t.Errorf("%s is %.0f pixels wide on a phone of 360", name, wide)
		}
		if !ask[bool](t, b, `document.getElementById("site-pages").getBoundingClientRect().height > 100`) {
			t.Errorf("%s has no list of pages on a phone", name)
		}
	}
}

// TestPictures writes pictures of some pages, for somebody to look at:
//
//	go test ./cmd/site -run TestPictures -args -shots FOLDER
func TestPictures(t *testing.T) {
	if *shots == "" {
		t.Skip("pictures are made for -shots FOLDER")
	}
	address := addresses(t)["served"]
	b := openTab(t, address+"/index.html", 1400, 900)
	for _, scheme := range []string{"light", "dark"} {
		for _, c := range []struct {
			name          string
			width, height int64
		}{{"desktop", 1400, 900}, {"phone", 390, 844}} {
			for _, page := range []string{"index.html", tested + "/index.html", tested + "/operators.html", tested + "/pty.html", tested + "/changelog.html", tested + "/vocabulary.html", tested + "/recipes.html",
				tested + "/mutants.html", tested + "/requirements/agentic-sandbox-v2/index.html", tested + "/requirements/agentic-sandbox-v2/card.html#CARD-011", tested + "/requirements/a2a-1.0/rulings.html", "search"} {
				at := page
				if page == "search" {
					at = tested + "/index.html"
				}
				_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
				if err != nil {
					t.Fatal(err)
				}
				b.do(t, chromedp.EmulateViewport(c.width, c.height), chromedp.Navigate("about:blank"), chromedp.Navigate(address+"/"+at))
				if page == "search" {
					b.do(t, chromedp.SendKeys(chromedp.CSS("#site-query"), "retry budget"))
					b.until(t, `document.querySelectorAll("#site-found li").length > 3`)
				}
				picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
				if err != nil {
					t.Fatal(err)
				}
				name := strings.NewReplacer("/", "_", "#", "_", ".html", "", tested+"/", "").Replace(page)
				if err := os.WriteFile(filepath.Join(*shots, name+"-"+c.name+"-"+scheme+".png"), picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
