// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// maxReport is the largest JSON report that ReadJSON takes.
const maxReport = 512 << 20

// WriteJSON writes the canonical report, from which every other format can be rendered. Results are written one by one.
// schemas/report.schema.json defines the form.
func WriteJSON(w io.Writer, run Settled) error {
	r, results := *run.Run, run.Results
	r.Results = []Result{}
	head, err := encode(&r, "")
	if err != nil {
		return err
	}
	// results is the last member of a Run, so the rest of it ends where the list begins.
	head, ok := bytes.CutSuffix(head, []byte("[]\n}"))
	if !ok {
		return errors.New("bug: results is not the last member of a report")
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	for i := range results {
		if err := writeResult(w, &results[i], i == 0); err != nil {
			return err
		}
	}
	tail := "[]\n}\n"
	if len(results) > 0 {
		tail = "\n  ]\n}\n"
	}
	_, err = io.WriteString(w, tail)
	return err
}

func writeResult(w io.Writer, r *Result, first bool) error {
	entry, err := encode(r, "    ")
	if err != nil {
		return err
	}
	before := ",\n    "
	if first {
		before = "[\n    "
	}
	if _, err := io.WriteString(w, before); err != nil {
		return err
	}
	_, err = w.Write(entry)
	return err
}

// WriteForm writes what is made of several reports in the way in which a report is written: indented, and with nothing in it that could
// act where it is shown.
func WriteForm(w io.Writer, v any) error {
	text, err := encode(v, "")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// encode writes v as indented JSON without a line break at the end.
func encode(v any, prefix string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(prefix, "  ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return inert(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// inert escapes in JSON text what could act where it is shown: invisible and control characters, the "<" of a tag, and
// the "##" of commands to CI systems. All of them occur in strings only, so the values stay the same.
func inert(text []byte) []byte {
	out := make([]byte, 0, len(text)+64)
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRune(text[i:])
		switch {
		case r == '<', r == '#' && i > 0 && text[i-1] == '#', r >= 0x7f && !unicode.IsPrint(r):
			for _, unit := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, unit)
			}
		default:
			out = append(out, text[i:i+width]...)
		}
		i += width
	}
	return out
}

// ReadJSON reads a report that WriteJSON wrote, by this version or a later one, and only what can be read in
// one way ([Unambiguous]). Errors name the place.
func ReadJSON(r io.Reader) (*Run, error) {
	text, err := ReadText(r)
	if err != nil {
		return nil, err
	}
	run := new(Run)
	if err := json.Unmarshal(text, run); err != nil {
		return nil, fmt.Errorf("read report: %w", placed(text, err))
	}
	if err := Unambiguous(text); err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	if err := run.check(); err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	return run, nil
}

// ReadText reads the text of a saved JSON report, of at most 512 MiB. What does not begin like one is refused before it is
// read, so that a file which never ends costs nothing.
func ReadText(r io.Reader) ([]byte, error) {
	in := bufio.NewReaderSize(r, 4096)
	begin, err := in.Peek(4096)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read report: %w", err)
	}
	if first := bytes.TrimLeft(begin, " \t\r\n"); len(first) > 0 && first[0] != '{' || len(first) == 0 && len(begin) > 0 {
		err := json.Unmarshal(begin, new(Run))
		if err == nil { // null, which can be read as anything
			err = misread(begin, int64(len(begin)-len(first)), errors.New("a report is an object"))
		}
		return nil, fmt.Errorf("read report: %w", placed(begin, err))
	}
	text, err := io.ReadAll(io.LimitReader(in, maxReport+1))
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	if len(text) > maxReport {
		return nil, fmt.Errorf("read report: longer than %s", show.Size(maxReport))
	}
	return text, nil
}

// A Misread is a place in a JSON text that is not as it has to be.
type Misread struct {
	Line, Column int
	Err          error
}

// Error is the place and what is wrong there: "2:3: invalid character".
func (m *Misread) Error() string { return fmt.Sprintf("%d:%d: %v", m.Line, m.Column, m.Err) }

// Unwrap returns what is wrong.
func (m *Misread) Unwrap() error { return m.Err }

// placed puts line and column in front of a decoding error.
func placed(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var moment *time.ParseError
	switch {
	case errors.As(err, &syntax):
		return misread(text, syntax.Offset-1, err)
	case errors.As(err, &kind):
		return misread(text, kind.Offset, fmt.Errorf("%s is of the kind %s, want %s", cmp.Or(show.Brief(kind.Field, 200), "the document"), show.Brief(kind.Value, 200), jsonKind(kind.Type)))
	case errors.As(err, &moment):
		return misread(text, int64(bytes.Index(text, []byte(moment.Value))), fmt.Errorf("startedAt is no RFC 3339 time: %s", show.Brief(moment.Value, 100)))
	}
	return err
}

// jsonKind names what a member of a report holds.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Struct, reflect.Pointer:
		return "an object"
	case reflect.Slice:
		return "a list"
	}
	return t.String()
}

func misread(text []byte, offset int64, err error) error {
	before := text[:min(max(offset, 0), int64(len(text)))]
	return &Misread{1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n'), err}
}

// check reports what is not as every report has it.
func (r *Run) check() error {
	var problems []error
	if r.Schema != Schema {
		problems = append(problems, fmt.Errorf("schema is %q, want %q", show.Brief(r.Schema, 100), Schema))
	}
	if _, ok := verdictWords[r.Verdict]; !ok {
		problems = append(problems, fmt.Errorf("verdict is %q, want pass, fail, incomplete, unreachable or unauthorized", show.Brief(string(r.Verdict), 100)))
	}
	for i := range r.Results {
		result := &r.Results[i]
		if result.Blocked() && result.Outcome != Blocked {
			problems = append(problems, fmt.Errorf("results[%d].outcome is %q, want pass, fail, warn, skip or blocked", i, show.Brief(string(result.Outcome), 100)))
		}
		if result.ID == "" {
			problems = append(problems, fmt.Errorf("results[%d].id is missing", i))
		}
		if len(problems) > 20 {
			break
		}
	}
	return errors.Join(problems...)
}
