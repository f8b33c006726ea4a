// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/yuin/goldmark/ast"
)

// destinations are where the links of a document lead.
func destinations(document ast.Node) []string {
	var all []string
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if to, is := n.(*ast.Link); is && entering {
			all = append(all, string(to.Destination))
		}
		return ast.WalkContinue, nil
	})
	return all
}

// TestAnchors: a heading has the anchor that a forge gives it.
func TestAnchors(t *testing.T) {
	t.Parallel()
	source := []byte("# What \"every\" means\n## Cues of a2a-1.0\n## `diff`: what changed between two runs\n## a2a_error\n## Ünïcode & more\n## Twice\n## Twice\n")
	ids := map[string]bool{}
	var got []string
	for _, s := range sectionsOf(parsed(source), source, ids) {
		got = append(got, s.id)
	}
	const want = "what-every-means cues-of-a2a-10 diff-what-changed-between-two-runs a2a_error ünïcode--more twice twice-1"
	if strings.Join(got, " ") != want {
		t.Errorf("the anchors are %q, want %q", strings.Join(got, " "), want)
	}
}

// tree is a small repository, with a page of the caller's own.
func tree(page string) fstest.MapFS {
	return fstest.MapFS{
		"README.md":             {Data: []byte("# The program\n\n[page](docs/page.md#below) [text](docs/run.sh) [folder](pkg)\n\n## Three recipes\n")},
		"docs/page.md":          {Data: []byte(page)},
		"docs/run.sh":           {Data: []byte("echo '<b>'\n")},
		"docs/requirements.md":  {Data: []byte("# Requirements\n")},
		"pkg/a.go":              {Data: []byte("// Package pkg says what it is.\npackage pkg\n")},
		"pkg/b_test.go":         {Data: []byte("package pkg\n")},
		"docs/recipes/a.txtar":  {Data: []byte("An example.\n-- file <x> --\n<text>\n")},
		"docs/operators.md":     {Data: []byte("# For operators\n")},
		"docs/other/ignored.md": {Data: []byte("no page")},
	}
}

// TestPageOfTheRepository: what becomes of a page, with links to everything that there is.
func TestPageOfTheRepository(t *testing.T) {
	t.Parallel()
	const page = "<!-- generated -->\n# A page\n\nCARD-011, `CARD-012`, [CARD-013](run.sh) and NO-999 <b>x</b>\n\n## Below\n\n" +
		"[all](requirements.md) [one](requirements.md#CARD-014) [up](../README.md) [out](https://a.example/x) [here](#below)\n\n" +
		"| a | b |\n|---|--:|\n| CARD-015 | 1 |\n\n```sh\nls <x> CARD-016\n```\n"
	s, err := build(tree(page), "v1.0.0", "")
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]string{}
	for _, p := range s.pages {
		at[p.path] = string(p.body)
	}
	for name, wants := range map[string][]string{
		"page.html": {
			`<h1 id="a-page">A page</h1>`,
			`<p><a href="requirements/agentic-sandbox-v2/card.html#CARD-011">CARD-011</a>, <a href="requirements/agentic-sandbox-v2/card.html#CARD-012"><code>CARD-012</code></a>, ` +
				`<a href="files/docs/run.sh.html">CARD-013</a> and NO-999 x</p>`,
			`<a href="requirements/agentic-sandbox-v2/index.html">all</a> <a href="requirements/agentic-sandbox-v2/card.html#CARD-014">one</a> <a href="index.html">up</a> ` +
				`<a href="https://a.example/x">out</a> <a href="#below">here</a>`,
			`<div class="wide" tabindex="0"><table>`, `<th scope="col">a</th>`, `<td><a href="requirements/agentic-sandbox-v2/card.html#CARD-015">CARD-015</a></td>`,
			`<pre tabindex="0"><code class="language-sh">ls &lt;x&gt; CARD-016`,
		},
		"files/docs/run.sh.html": {"<h1>docs/run.sh</h1>", "echo &#39;&lt;b&gt;&#39;"},
		"files/pkg.html":         {"<h1>pkg/</h1>", "Package pkg says what it is.", "<code>a.go</code>", "<code>b_test.go</code>"},
		"recipes.html":           {`<h2 id="a">A</h2>`, "An example.", "file &lt;x&gt;", "&lt;text&gt;"},
		"index.html":             {`<a href="page.html#below">page</a>`, `<a href="files/pkg.html">folder</a>`},
	} {
		for _, want := range wants {
			if !strings.Contains(at[name], want) {
				t.Errorf("%s does not hold %q:\n%s", name, want, at[name])
			}
		}
	}
	if at["requirements.html"] != "" {
		t.Error("the page of requirements of the repository is there besides those of the site")
	}
	if last := s.groups[len(s.groups)-1]; last.title != moreGroup || len(last.files) != 1 || last.files[0] != "docs/page.md" {
		t.Errorf("a page without a place is listed as %v", s.groups)
	}
}

// TestLinksThatLeadNowhere end the build, each with its place.
func TestLinksThatLeadNowhere(t *testing.T) {
	t.Parallel()
	for page, want := range map[string]string{
		"# A page\n\n## Below\n\nsee\n[x](nothing.md)\n":      "docs/page.md:5: the link nothing.md leads to docs/nothing.md, which is not there",
		"# A page\n\n## Below\n\n[x](operators.md#no)\n":      "docs/page.md:5: there is no #no on operators.html",
		"# A page\n\n## Below\n\n[x](#no)\n":                  "docs/page.md:5: there is no #no on page.html",
		"# A page\n\n[x](requirements.md#CARD-9)\n## Below\n": "docs/page.md:3: there is no #CARD-9 on requirements/agentic-sandbox-v2/index.html",
		"# A page\n\n[x](../../../etc/passwd)\n## Below\n":    "docs/page.md:3: the link ../../../etc/passwd leads to ../../etc/passwd, which is not there",
		"# A page\n\n[x](/etc/passwd)\n## Below\n":            "docs/page.md:3: the link /etc/passwd leads to docs/etc/passwd, which is not there",
		"# A page\n\n![x](nothing.svg)\n## Below\n":           "docs/page.md:3: the picture nothing.svg is no SVG file that is there",
		"# A page\n": "README.md:3: there is no #below on page.html",
		"## Below\n": "docs/page.md: its first heading is no title: # Title",
	} {
		_, err := build(tree(page), "v1.0.0", "")
		if err == nil || err.Error() != want {
			t.Errorf("%q: the error is %v, want %s", page, err, want)
		}
	}
	if _, err := build(fstest.MapFS{"docs/x.md": {Data: []byte("# X\n")}}, "v1.0.0", ""); err == nil || !strings.Contains(err.Error(), "there is no README.md") {
		t.Errorf("a tree without a README: %v", err)
	}
}

// TestPicturesInPages: a page holds its pictures.
func TestPicturesInPages(t *testing.T) {
	t.Parallel()
	files := tree("# A page\n\n![what it shows](run.svg)\n\n## Below\n")
	files["docs/run.svg"] = &fstest.MapFile{Data: []byte("<svg/>")}
	s, err := build(files, "v1.0.0", "")
	if err != nil {
		t.Fatal(err)
	}
	const want = `<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="what it shows"`
	if body := string(s.byFile["docs/page.md"].body); !strings.Contains(body, want) {
		t.Errorf("the page is %s, want %s in it", body, want)
	}
}

// TestMarkdownOfTheRepository: every link of a Markdown file between files of the repository leads somewhere on a forge, too: the files are
// read there as they are.
func TestMarkdownOfTheRepository(t *testing.T) {
	t.Parallel()
	tree := os.DirFS(repository)
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "assertions/*.md", "fixtures/*/*.md"} {
		found, err := fs.Glob(tree, pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	anchorsOf := map[string][]string{}
	for _, file := range files {
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		sectionsOf(parsed(text), text, ids)
		for id := range ids {
			anchorsOf[file] = append(anchorsOf[file], id)
		}
		for _, m := range namedAnchor.FindAllSubmatch(text, -1) {
			if slices.Contains(anchorsOf[file], string(m[1])) {
				t.Errorf("%s has the anchor %s twice", file, m[1])
			}
			anchorsOf[file] = append(anchorsOf[file], string(m[1]))
		}
	}
	links := 0
	for _, file := range files {
		text, _ := fs.ReadFile(tree, file)
		for _, to := range destinations(parsed(text)) {
			if strings.Contains(to, "://") {
				continue
			}
			links++
			name, anchor, _ := strings.Cut(to, "#")
			at := file
			if name != "" {
				at = path.Join(path.Dir(file), name)
			}
			if _, err := fs.Stat(tree, at); err != nil {
				t.Errorf("%s: the link %s leads to %s, which is not there", file, to, at)
			} else if anchor != "" && !slices.Contains(anchorsOf[at], anchor) {
				t.Errorf("%s: the link %s leads to an anchor that is not there", file, to)
			}
		}
	}
	if len(files) < 20 || links < 200 {
		t.Errorf("%d files and %d links were seen, which cannot be all", len(files), links)
	}
}

// namedAnchor is one that a text writes itself.
var namedAnchor = regexp.MustCompile(`<a id="([^"]+)">`)
