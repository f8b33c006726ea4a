// SPDX-License-Identifier: Apache-2.0

package html

import (
	"bytes"
	"html"
	"strconv"
)

// A node is a piece of the HTML report. It is made of el and chars alone, so that every text of a run is escaped where it
// is written, as the content of an element or as the value of a quoted attribute: nothing of a run is ever written into a
// script, a style or the beginning of an address. (html/template would do the same; but it looks methods up by name, for
// which the linker has to keep every exported method of the program: a tenth of its size.)
type node func(b *bytes.Buffer)

// attrs are the attributes of an element: name, value, name, value. A value that is empty is not written.
type attrs []string

// void are the elements without an end, and drawn those of SVG that hold nothing.
var (
	void  = map[string]bool{"meta": true, "input": true}
	drawn = map[string]bool{"rect": true, "line": true, "polygon": true, "path": true, "circle": true}
)

// onItsOwnLine are the elements that begin a line of the page, for those who read its source.
var onItsOwnLine = map[string]bool{"html": true, "head": true, "body": true, "title": true, "meta": true, "style": true, "script": true, "header": true,
	"nav": true, "main": true, "footer": true, "section": true, "h1": true, "h2": true, "h3": true, "p": true, "ul": true, "ol": true, "li": true,
	"div": true, "table": true, "thead": true, "tbody": true, "tfoot": true, "tr": true, "form": true, "fieldset": true, "article": true,
	"details": true, "pre": true, "dl": true, "dt": true, "figure": true, "line": true, "rect": true}

// el is an element; nil children are left out.
func el(tag string, with attrs, children ...node) node {
	return func(b *bytes.Buffer) {
		if onItsOwnLine[tag] {
			b.WriteByte('\n')
		}
		b.WriteByte('<')
		b.WriteString(tag)
		for i := 0; i+1 < len(with); i += 2 {
			b.WriteByte(' ')
			b.WriteString(with[i])
			if with[i+1] != "" {
				b.WriteString(`="`)
				b.WriteString(html.EscapeString(with[i+1]))
				b.WriteByte('"')
			}
		}
		switch {
		case void[tag]:
			b.WriteByte('>')
			return
		case drawn[tag]:
			b.WriteString("/>")
			return
		}
		b.WriteByte('>')
		all(children...)(b)
		b.WriteString("</")
		b.WriteString(tag)
		b.WriteByte('>')
	}
}

// chars is a text, whatever is in it.
func chars(s string) node { return func(b *bytes.Buffer) { b.WriteString(html.EscapeString(s)) } }

// own is a text of ours that is no markup to escape: a script, a style, a result that has been written already.
func own(s string) node { return func(b *bytes.Buffer) { b.WriteString(s) } }

func number(n int) node { return chars(strconv.Itoa(n)) }

// all are several pieces, one after the other.
func all(pieces ...node) node {
	return func(b *bytes.Buffer) {
		for _, piece := range pieces {
			if piece != nil {
				piece(b)
			}
		}
	}
}

// when is pieces that are there only if something holds.
func when(holds bool, pieces ...node) node {
	if !holds {
		return nil
	}
	return all(pieces...)
}

// each is a piece for every element of a list.
func each[T any](list []T, piece func(T) node) node {
	return func(b *bytes.Buffer) {
		for i := range list {
			piece(list[i])(b)
		}
	}
}

// The elements that the report has most of.

func class(names string) attrs { return attrs{"class", names} }

func code(s string) node { return el("code", nil, chars(s)) }

func strong(s string) node { return el("strong", nil, chars(s)) }

func para(with attrs, children ...node) node { return el("p", with, children...) }

// typed is something to type.
func typed(s string) node { return el("pre", class("command"), code(s)) }

// sign is a sign for the eye, of which the word beside it says the same.
func sign(names, s string) node {
	with := attrs{"aria-hidden", "true"}
	if names != "" {
		with = append(class(names), with...)
	}
	return el("span", with, chars(s))
}

// section is a section of the page, under its heading.
func section(id, heading string, children ...node) node {
	return el("section", attrs{"id", id, "aria-labelledby", id + "-heading"},
		el("h2", attrs{"id", id + "-heading"}, chars(heading)), all(children...))
}

// wide is a table that may be wider than the page.
func wide(label string, children ...node) node {
	return el("div", attrs{"class", "wide", "tabindex", "0", "role", "region", "aria-label", label}, children...)
}
