// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/roctinam/agentic-sandbox-conformance/docs"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
)

const (
	repository = "../.."
	tested     = "v1.2.3"
)

// made is the site of the repository, which is made once for all tests.
var made = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "site-test-")
	if err == nil {
		o := options{tree: repository, out: folder, version: tested, commit: strings.Repeat("3f", 20), say: func(string, ...any) {}}
		err = o.make()
	}
	return folder, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if folder, _ := made(); folder != "" {
		os.RemoveAll(folder)
	}
	os.Exit(code)
}

func madeSite(t *testing.T) string {
	t.Helper()
	folder, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// A document is a page of a site, as a browser reads it.
type document struct {
	root *html.Node
	ids  map[string]int
}

// documents are the pages below a folder, by their path.
func documents(t *testing.T, folder string) map[string]*document {
	t.Helper()
	all := map[string]*document{}
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".html" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		d := &document{ids: map[string]int{}}
		if d.root, err = html.Parse(strings.NewReader(string(text))); err != nil {
			return err
		}
		for n := range d.root.Descendants() {
			if id := attribute(n, "id"); id != "" {
				d.ids[id]++
			}
		}
		at, err := filepath.Rel(folder, name)
		all[filepath.ToSlash(at)] = d
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// TestLinks: every link of every page leads to a file of the site and an anchor that is there once, and what a page loads is there.
func TestLinks(t *testing.T) {
	t.Parallel()
	site := madeSite(t)
	pages := documents(t, site)
	links := 0
	for name, page := range pages {
		for id, n := range page.ids {
			if n > 1 {
				t.Errorf("%s has the anchor %s %d times", name, id, n)
			}
		}
		for n := range page.root.Descendants() {
			for _, key := range []string{"href", "src"} {
				to := attribute(n, key)
				if to == "" || strings.HasPrefix(to, "data:") {
					continue
				}
				links++
				if problem := leadsTo(site, pages, name, to); problem != "" {
					t.Errorf("%s: %s", name, problem)
				}
			}
		}
	}
	if len(pages) < 100 || links < 10_000 {
		t.Errorf("%d pages and %d links were seen, which cannot be all", len(pages), links)
	}
}

// leadsTo says what is wrong with a link of a page; "" if nothing is. What is outside of the site is not asked for.
func leadsTo(site string, pages map[string]*document, page, to string) string {
	u, err := url.Parse(to)
	switch {
	case err != nil:
		return "the link " + to + " is no URL"
	case u.Scheme == "https" || u.Scheme == "http":
		return ""
	case u.Scheme != "" || u.Host != "" || strings.HasPrefix(u.Path, "/") || strings.HasSuffix(u.Path, "/") || u.RawQuery != "":
		return "the link " + to + " works in no folder"
	}
	file := page
	if u.Path != "" {
		file = path.Join(path.Dir(page), u.Path)
	}
	if info, err := os.Stat(filepath.Join(site, filepath.FromSlash(file))); err != nil || info.IsDir() {
		return "there is no file for the link " + to
	}
	if u.Fragment != "" && pages[file].ids[u.Fragment] != 1 {
		return "there is no anchor for the link " + to
	}
	return ""
}

// TestPagesAreWhole: what every page has, for those who see it and those who hear it.
func TestPagesAreWhole(t *testing.T) {
	t.Parallel()
	for name, page := range documents(t, filepath.Join(madeSite(t), tested)) {
		titles, heading, one := map[string]bool{}, 0, 0
		for n := range page.root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			switch {
			case n.DataAtom == atom.Title:
				titles[n.FirstChild.Data] = true
			case n.DataAtom == atom.Nav: // its headings are no part of the text
				heading = 1
			case n.DataAtom == atom.H1:
				one++
				heading = 1
			case len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '2' && n.Data[1] <= '6':
				level := int(n.Data[1] - '0')
				if level > heading+1 {
					t.Errorf("%s: a heading is %d deep below %d", name, level, heading)
				}
				heading = level
			case n.DataAtom == atom.Th && attribute(n, "scope") == "":
				t.Errorf("%s: a heading of a table has no scope", name)
			case n.DataAtom == atom.Script && n.FirstChild != nil:
				t.Errorf("%s has a script inside", name)
			}
		}
		if one != 1 || len(titles) != 1 {
			t.Errorf("%s has %d headings and the titles %v, want one of each", name, one, titles)
		}
	}
}

// TestRequirementsHaveOneAnchor: every requirement of every catalog has one on the whole site, where reports link to, and it says what
// the catalog says.
func TestRequirementsHaveOneAnchor(t *testing.T) {
	t.Parallel()
	pages := documents(t, filepath.Join(madeSite(t), tested))
	seen := 0
	for _, profile := range catalog.Profiles() {
		all, err := catalog.Of(profile)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range all {
			seen++
			at, anchor, _ := strings.Cut(docs.RequirementOnSite(profile, r.Surface, r.ID), "#")
			var on []string
			for name, page := range pages {
				if page.ids[r.ID] > 0 {
					on = append(on, name)
				}
			}
			if len(on) != 1 || on[0] != at || anchor != r.ID {
				t.Errorf("%s is on %q, and reports link to %s#%s", r.ID, on, at, anchor)
				continue
			}
			said := textOf(pages[at].element(r.ID))
			for _, want := range append(strings.Split(r.Summary, "`"), r.Level, r.Source, "What is sent, accepted and rejected") {
				if !strings.Contains(said, strings.Join(strings.Fields(want), " ")) {
					t.Errorf("%s does not say %q", r.ID, want)
				}
			}
		}
	}
	if seen < 800 {
		t.Errorf("%d requirements were seen, which cannot be all", seen)
	}
}

func (d *document) element(id string) *html.Node {
	for n := range d.root.Descendants() {
		if attribute(n, "id") == id {
			return n
		}
	}
	return nil
}

// textOf is the text of an element on one line.
func textOf(n *html.Node) string {
	var b strings.Builder
	for one := range n.Descendants() {
		if one.Type == html.TextNode {
			b.WriteString(one.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// TestRequirementSaysWhatProvesIt: one of them, with all that a page has to say.
func TestRequirementSaysWhatProvesIt(t *testing.T) {
	t.Parallel()
	pages := documents(t, filepath.Join(madeSite(t), tested))
	said := textOf(pages["requirements/agentic-sandbox-v2/card.html"].element("CARD-011"))
	for _, want := range []string{
		"CARD-011 the_declared_rest_url_serves_the_instance MUST The URL declared for the REST binding really serves the operations of this instance.",
		"Source A2A 8.3.1 (interfaces are declared accurately)", "Judged always", "Test the_declared_rest_url_serves_the_instance in suites/agentic-sandbox-v2/card.yaml",
		"Proved by rest-interface-without-agent-prefix rest-interface-of-another-instance rest-interface-on-another-host (warning)",
		"agentic-sandbox-conformance demo --run CARD-011 --fault rest-interface-without-agent-prefix",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("CARD-011 does not say %q; it says %.600s", want, said)
		}
	}
}

// TestSearchPlaces: the index is JSON inside of one statement, and has every requirement by its id.
func TestSearchPlaces(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(madeSite(t), tested, "assets/search-places.js"))
	if err != nil {
		t.Fatal(err)
	}
	list, begins := strings.CutPrefix(string(text), "window.searchPlaces = ")
	list, ends := strings.CutSuffix(list, ";\n")
	var places []place
	if err := json.Unmarshal([]byte(list), &places); err != nil || !begins || !ends {
		t.Fatalf("the index is no list: %v", err)
	}
	pages := documents(t, filepath.Join(madeSite(t), tested))
	keys := map[string]string{}
	for i, p := range places {
		if p.ID != i || p.Title == "" {
			t.Errorf("place %d is %+v", i, p)
		}
		if problem := leadsTo(filepath.Join(madeSite(t), tested), pages, "index.html", p.URL); problem != "" {
			t.Error(problem)
		}
		if p.Key != "" && strings.Contains(p.Key, "-0") {
			keys[p.Key] = p.URL
		}
	}
	if keys["CARD-011"] != "requirements/agentic-sandbox-v2/card.html#CARD-011" {
		t.Errorf("CARD-011 is found at %s", keys["CARD-011"])
	}
}

// TestSameBytes: the same tree makes the same site.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	again := t.TempDir()
	o := options{tree: repository, out: again, version: tested, commit: strings.Repeat("3f", 20), say: func(string, ...any) {}}
	if err := o.make(); err != nil {
		t.Fatal(err)
	}
	first, second := sums(t, madeSite(t)), sums(t, again)
	for name, sum := range first {
		if second[name] != sum {
			t.Errorf("%s differs", name)
		}
	}
	if len(first) != len(second) {
		t.Errorf("%d files, and then %d", len(first), len(second))
	}
}

func sums(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		sum := sha256.Sum256(text)
		all[name] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestMiniSearchIsThePublishedOne: the library is the file dist/umd/index.js of minisearch 7.2.0 on npm, with the licence beside it.
func TestMiniSearchIsThePublishedOne(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"assets/minisearch/minisearch.js": "03c27931eb603af1d3358579e9885eafdb6a2f5fa9929557b3e77d7e99d06d03",
		"assets/minisearch/LICENSE.txt":   "70d37354d6395629fb99edb28cb37a5d356ffa24a48cd02a5def5b83a300a899",
	} {
		text, err := assets.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s has the SHA-256 %x, want %s", name, sum, want)
		}
	}
}
