// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// conditions is a condition on one line.
func (d *describer) conditions(expectations []suites.Expectation) string {
	var parts []string
	for _, e := range expectations {
		parts = append(parts, e.Subject.String()+" "+d.value(e.Want))
	}
	return strings.Join(parts, " and ")
}

// value is what is wanted, on one line.
func (d *describer) value(v assertions.Value) string {
	var parts []string
	for _, c := range v.Checks {
		if c.Word.Name == "equals" {
			parts = append(parts, "is "+compact(c.Want))
			continue
		}
		if !slices.Contains(d.words, c.Word) {
			d.words = append(d.words, c.Word)
		}
		parts = append(parts, c.Word.Name+" "+d.want(c.Want))
	}
	return strings.Join(parts, " and ")
}

func (d *describer) want(want any) string {
	switch want := want.(type) {
	case assertions.Value:
		return "(" + d.value(want) + ")"
	case []assertions.Value:
		var parts []string
		for _, v := range want {
			parts = append(parts, "("+d.value(v)+")")
		}
		return strings.Join(parts, " or ")
	case assertions.Members:
		var parts []string
		for _, m := range want {
			parts = append(parts, m.Path.String()+" "+d.value(m.Want))
		}
		return "{" + strings.Join(parts, "; ") + "}"
	case assertions.NamedArgs:
		var parts []string
		for name, arg := range want {
			parts = append(parts, name+" "+d.want(arg))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, "; ") + "}"
	}
	return compact(want)
}

// compact is a JSON value on one line.
func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimRight(b.String(), "\n")
}

func requestLine(r suites.Request) string {
	if r.Operation != "" {
		if r.OnOther {
			return r.Operation + ", over the other binding"
		}
		return r.Operation
	}
	line := r.Method + " " + r.URL
	if r.Raw {
		line += " (the URL as it stands)"
	}
	return line
}

func span(d suites.Duration) string {
	if d.Text != "" {
		return d.Text
	}
	if d.Max > d.Min {
		return d.Min.String() + " to " + d.Max.String()
	}
	return d.Min.String()
}

func streamEnd(s suites.Stream) string {
	text := ""
	switch {
	case s.UntilClosed:
		text = " until it is closed"
	case s.For.Min > 0:
		text = " for " + span(s.For)
	case len(s.Until) > 0:
		text = " until a condition holds"
	}
	if s.Background {
		text += ", in the background"
	}
	if s.Cut {
		text += ", then cut the connection"
	}
	return text
}

func offered(o suites.Open) string {
	text := ""
	if len(o.Subprotocol) > 0 {
		text = ", offering " + strings.Join(o.Subprotocol, ", ")
	}
	if o.Raw != nil {
		text += ", with a handshake made by hand"
	}
	return text
}

func message(s suites.Send) string {
	switch {
	case s.Text != nil:
		return "the text message " + compact(*s.Text)
	case len(s.Frames) > 0:
		var parts []string
		for _, f := range s.Frames {
			parts = append(parts, fmt.Sprintf("opcode %d, %s", f.Opcode, compact(f.Text+f.Base64)))
		}
		return "frames made by hand: " + strings.Join(parts, "; ")
	}
	text := "the envelope " + compact(s.JSON)
	if len(s.Omit) > 0 {
		text += " without " + strings.Join(s.Omit, ", ")
	}
	return text
}

func answering(status []int) string {
	if len(status) == 0 {
		return ""
	}
	return fmt.Sprintf(", which answers %s, then 200", strings.Trim(fmt.Sprint(status), "[]"))
}

func with(args map[string]any) string {
	if len(args) == 0 {
		return ""
	}
	return " with " + compact(args)
}
