// SPDX-License-Identifier: Apache-2.0

package html

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

func parsedPage(t testing.TB, page string) *html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// outline is a page as a human reads it aloud: headings, lines, rows of tables, what is folded, the words of pictures.
func outline(t testing.TB, page string) string {
	t.Helper()
	var b strings.Builder
	writeOutline(&b, parsedPage(t, page), 0)
	return b.String()
}

func writeOutline(b *strings.Builder, n *html.Node, depth int) {
	line := func(format string, args ...any) {
		fmt.Fprintf(b, "%s\n", strings.TrimRight(strings.Repeat("  ", depth)+fmt.Sprintf(format, args...), " "))
	}
	if n.Type == html.TextNode {
		if text := words(n.Data); text != "" {
			line("%s", text)
		}
		return
	}
	switch n.DataAtom {
	case atom.Style, atom.Script, atom.Meta:
		return
	case atom.Title:
		line("title: %s", inline(n))
		return
	case atom.H1, atom.H2, atom.H3:
		line("")
		line("%s %s%s", strings.Repeat("#", int(n.Data[1]-'0')), inline(n), named(n))
		return
	case atom.P, atom.Dt, atom.Dd, atom.Figcaption, atom.Label, atom.Legend, atom.A, atom.Button:
		line("%s%s%s", inline(n), named(n), hiddenMark(n))
		return
	case atom.Tr:
		var cells []string
		for c := range n.ChildNodes() {
			if c.Type == html.ElementNode {
				cells = append(cells, inline(c))
			}
		}
		line("| %s |", strings.Join(cells, " | "))
		return
	case atom.Pre:
		line("pre%s:", classMark(n))
		for _, text := range strings.Split(content(n), "\n") {
			line("    %s", text)
		}
		return
	case atom.Svg:
		line("picture %s x %s: %s", attribute(n, "width"), attribute(n, "height"), strings.Join(texts(n), " · "))
		return
	case atom.Li:
		if !holdsBlocks(n) {
			line("- %s", inline(n))
			return
		}
		line("-")
		depth++
	case atom.Article:
		line("")
		line("article %s%s", attribute(n, "class"), named(n))
		depth++
	case atom.Summary:
		line("> %s", inline(n))
		return
	case atom.Details:
		state := "folded"
		if has(n, "open") {
			state = "open"
		}
		line("%s%s", state, classMark(n))
		depth++
	case atom.Form, atom.Nav, atom.Main, atom.Header, atom.Footer, atom.Section, atom.Fieldset:
		line("%s%s%s", n.Data, named(n), hiddenMark(n))
		depth++
	case atom.Input:
		line("input %s%s", attribute(n, "type"), named(n))
		return
	case atom.Select:
		line("select%s: %s", named(n), strings.Join(texts(n), " · "))
		return
	}
	for c := range n.ChildNodes() {
		writeOutline(b, c, depth)
	}
}

// inline is the text of an element with what its links lead to.
func inline(n *html.Node) string {
	var b strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
		case n.DataAtom == atom.Svg:
			b.WriteString("▂")
		default:
			for c := range n.ChildNodes() {
				walk(c)
			}
			if href := attribute(n, "href"); href != "" {
				b.WriteString("(" + href + ")")
			}
		}
	}
	walk(n)
	return words(b.String())
}

// texts are the separate texts below an element.
func texts(n *html.Node) []string {
	var all []string
	for d := range n.Descendants() {
		if text := words(d.Data); d.Type == html.TextNode && text != "" {
			all = append(all, text)
		}
	}
	return all
}

func content(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func words(text string) string { return strings.Join(strings.Fields(text), " ") }

func holdsBlocks(n *html.Node) bool {
	for d := range n.Descendants() {
		if slices.Contains([]atom.Atom{atom.P, atom.Pre, atom.Dl}, d.DataAtom) {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

func named(n *html.Node) string {
	if id := attribute(n, "id"); id != "" {
		return " #" + id
	}
	return ""
}

func classMark(n *html.Node) string {
	if class := attribute(n, "class"); class != "" {
		return " " + class
	}
	return ""
}

func hiddenMark(n *html.Node) string {
	if has(n, "hidden") {
		return " (hidden)"
	}
	return ""
}
