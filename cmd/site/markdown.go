// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads what a forge reads, and draws the diagrams that a forge draws. HTML in a text is left out.
var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(diagrams{}, 1))))

// diagrams write the blocks of code, and those that are diagrams as drawings.
type diagrams struct{}

// RegisterFuncs is called by the renderer.
func (diagrams) RegisterFuncs(on renderer.NodeRendererFuncRegisterer) {
	on.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		n := node.(*ast.FencedCodeBlock)
		text, language := string(n.Lines().Value(source)), string(n.Language(source))
		if language == "mermaid" {
			if drawing, drawn := figure(text); drawn {
				_, err := w.WriteString(drawing)
				return ast.WalkSkipChildren, err
			}
		}
		class := ""
		if language != "" {
			class = ` class="language-` + template.HTMLEscapeString(language) + `"`
		}
		_, err := w.WriteString("<pre><code" + class + ">" + template.HTMLEscapeString(text) + "</code></pre>\n")
		return ast.WalkSkipChildren, err
	})
}

// parsed is a Markdown text as a document. Its headings have the anchors that a forge gives them.
func parsed(source []byte) ast.Node {
	return markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(anchors{}))))
}

// anchors are those of a document, as GitHub makes them: the text in small letters without punctuation, blanks as hyphens, and a number
// where the same comes again.
type anchors map[string]int

// Generate makes the anchor of a heading.
func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(string(value))) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		}
	}
	id := b.String()
	a[id]++
	if n := a[id]; n > 1 {
		id = fmt.Sprintf("%s-%d", id, n-1)
	}
	return []byte(id)
}

// Put notes an anchor that a heading names itself.
func (a anchors) Put(value []byte) { a[string(value)]++ }

// rendered is a document as HTML. What can be wider than a page scrolls by itself.
func rendered(document ast.Node, source []byte) (template.HTML, error) {
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, document); err != nil {
		return "", err
	}
	// goldmark has escaped every "<" of the text, so that these are its own.
	page := strings.NewReplacer("<table>", `<div class="wide" tabindex="0"><table>`, "</table>", "</table></div>",
		"<pre>", `<pre tabindex="0">`, "<th ", `<th scope="col" `, "<th>", `<th scope="col">`, "<!-- raw HTML omitted -->\n", "", "<!-- raw HTML omitted -->", "").Replace(b.String())
	return template.HTML(page), nil
}

// inline is one line of Markdown as HTML, without a paragraph around it.
func inline(line string) (template.HTML, error) {
	body, err := rendered(parsed([]byte(line)), []byte(line))
	text := strings.TrimSpace(string(body))
	if one, is := strings.CutPrefix(text, "<p>"); is {
		text = strings.TrimSuffix(one, "</p>")
	}
	return template.HTML(text), err
}

// sectionsOf are the headings of a document with the text below each, and notes their anchors. A table is text, too.
func sectionsOf(document ast.Node, source []byte, ids map[string]bool) []section {
	var all []section
	var b strings.Builder
	flush := func() {
		if len(all) > 0 {
			all[len(all)-1].text = strings.Join(strings.Fields(b.String()), " ")
		}
		b.Reset()
	}
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		if h, is := n.(*ast.Heading); is {
			flush()
			id, _ := h.AttributeString("id")
			name := fmt.Sprintf("%s", id)
			ids[name] = true
			all = append(all, section{id: name, title: plain(h, source), level: h.Level})
			continue
		}
		b.WriteString(plain(n, source))
		b.WriteByte(' ')
	}
	flush()
	return all
}

// plain is the text of a node without its marks.
func plain(node ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			for i := range n.Lines().Len() {
				line := n.Lines().At(i)
				b.Write(line.Value(source))
			}
		}
		return ast.WalkContinue, nil
	})
	return strings.TrimSpace(b.String())
}

// isID is how the id of a requirement looks in a text.
var isID = regexp.MustCompile(`\b[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*-[0-9]{3}\b`)

// relink has the links of a document lead to the pages of the site, and every id of a requirement to its anchor.
func (s *site) relink(p *page, document ast.Node, source []byte) {
	type found struct {
		node ast.Node
		text []byte
	}
	var texts []found // the tree is changed when the walk is over
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			n.Destination = []byte(s.target(p, string(n.Destination), lineOf(n, source)))
			return ast.WalkSkipChildren, nil
		case *ast.Image:
			texts = append(texts, found{n, []byte(s.picture(p, string(n.Destination), lineOf(n, source)))})
			return ast.WalkSkipChildren, nil
		case *ast.Heading:
			return ast.WalkSkipChildren, nil
		case *ast.CodeSpan:
			if id := plain(n, source); s.requirements[id] != nil {
				texts = append(texts, found{n, nil})
			}
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if line := n.Segment.Value(source); isID.Match(line) {
				texts = append(texts, found{n, line})
			}
		}
		return ast.WalkContinue, nil
	})
	for _, f := range texts {
		if n, is := f.node.(*ast.Image); is {
			element := ast.NewString(fmt.Appendf(nil, `<img src="%s" alt="%s">`, f.text, template.HTMLEscapeString(plain(n, source))))
			element.SetCode(true) // as it is: the renderer takes no SVG in an address
			n.Parent().ReplaceChild(n.Parent(), n, element)
			continue
		}
		from := fmt.Sprintf("%s:%d", p.file, lineOf(f.node, source))
		if f.text == nil {
			s.linkCode(p, f.node, plain(f.node, source), from)
		} else {
			s.linkIDs(p, f.node.(*ast.Text), f.text, from)
		}
	}
}

// picture is the source of a picture: the picture itself, so that a page needs no other file.
func (s *site) picture(p *page, destination string, line int) string {
	file := path.Join(path.Dir(p.file), destination)
	data, err := fs.ReadFile(s.tree, file)
	if err != nil || path.Ext(file) != ".svg" {
		s.problems = append(s.problems, fmt.Errorf("%s:%d: the picture %s is no SVG file that is there", p.file, line, destination))
		return destination
	}
	return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(data)
}

// linkTo is a link to a requirement.
func (s *site) linkTo(p *page, id, from string) *ast.Link {
	r := s.requirements[id]
	p.links = append(p.links, link{r.page, id, from})
	to := ast.NewLink()
	to.Destination = []byte(p.up() + r.page + "#" + id)
	return to
}

// linkCode has an id that is written as code lead to its requirement.
func (s *site) linkCode(p *page, code ast.Node, id, from string) {
	to := s.linkTo(p, id, from)
	code.Parent().ReplaceChild(code.Parent(), code, to)
	to.AppendChild(to, code)
}

// linkIDs has the ids in a text lead to their requirements.
func (s *site) linkIDs(p *page, n *ast.Text, line []byte, from string) {
	parent, at := n.Parent(), n.Segment.Start
	piece := func(begin, end int) *ast.Text { return ast.NewTextSegment(text.NewSegment(at+begin, at+end)) }
	done := 0
	for _, m := range isID.FindAllIndex(line, -1) {
		id := string(line[m[0]:m[1]])
		if s.requirements[id] == nil {
			continue
		}
		if m[0] > done {
			parent.InsertBefore(parent, n, piece(done, m[0]))
		}
		to := s.linkTo(p, id, from)
		to.AppendChild(to, piece(m[0], m[1]))
		parent.InsertBefore(parent, n, to)
		done = m[1]
	}
	n.Segment = text.NewSegment(at+done, n.Segment.Stop) // with the line break that may be behind it
}
