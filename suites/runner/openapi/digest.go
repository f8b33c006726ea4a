// SPDX-License-Identifier: Apache-2.0

package openapi

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/assertions/pointer"
)

const (
	maxNames  = 20_000 // of the document, and of the answers
	maxLive   = 1_000  // answers that do not fit, times, texts
	maxValues = 2_000_000
)

// A Question is what a suite asks about a document and a run.
type Question struct {
	Operation string         // one of the document, in detail: "GET /api/v1/sandboxes/{}"; the names of parameters do not matter; empty: none
	Parameter string         // one of the operation's query, by its name, in detail as well; empty: none
	Member    string         // one of the operation's request body, in detail as well; empty: none
	Wanted    string         // repeated in the answer, for conditions that depend on it
	Below     string         // the path of operations and answers that are meant; empty: all
	Schemas   bool           // look at every schema of the components
	Names     bool           // list the names that the operations bring
	Answers   *Record        // look at the answers of the run; nil: not
	Fit       bool           // hold them against the document
	Texts     *regexp.Regexp // look for texts that fit in the answers; nil: not
}

// Digest answers a question. Its members are operations (all in outline), operation (the one that was asked for, missing where there is none),
// dangling, wrong_schemas, names, header_conflict and, of the answers of the run: live_names, times and texts, and nonconforming and checked where
// they are held against the document.
// only_where_declared is what a query has behind it that says true for the parameter, and empty where the operation does not have that one.
// partly says why what holds of these is not known to hold of everything; empty: it is.
func (d *Document) Digest(q Question) (result map[string]any, partly string) {
	f := &former{d, maxSteps}
	operations := []any{}
	for _, o := range d.operations {
		if strings.HasPrefix(o.path, q.Below) {
			f.left = maxSteps
			operations = append(operations, f.outlined(o))
		}
	}
	result = map[string]any{"operations": operations, "dangling": list(d.dangling), "header_conflict": d.headerConflict()}
	if q.Wanted != "" {
		result["wanted"] = q.Wanted
	}
	partly = d.partly
	for _, o := range d.operations {
		if o.isCalled(q.Operation) && (result["operation"] == nil || !strings.HasSuffix(o.path, "/")) {
			f.left = maxSteps
			described := f.described(o)
			result["operation"] = described
			if parameter, is := member(described["query"], q.Parameter).(map[string]any); is {
				result["parameter"] = parameter
			}
			if form, is := member(member(described["body"], "members"), q.Member).(map[string]any); is {
				result["member"] = form
			}
			if f.left < 0 {
				partly = "the schemas of " + o.name() + " are longer than what is looked at"
			}
		}
	}
	if q.Parameter != "" {
		result["only_where_declared"] = ""
		if _, declared := result["parameter"]; declared {
			result["only_where_declared"] = "&" + q.Parameter + "=true"
		}
	}
	if q.Schemas {
		result["wrong_schemas"] = d.wrongSchemas()
	}
	if q.Names {
		names := []any{}
		for _, o := range d.operations {
			if !strings.HasPrefix(o.path, q.Below) {
				continue
			}
			f.left = maxSteps
			f.names(o, func(name map[string]any) {
				if len(names) < maxNames {
					names = append(names, name)
				} else {
					partly = "the document brings more names than are looked at"
				}
			})
			if f.left < 0 {
				partly = "the schemas of " + o.name() + " are longer than what is looked at"
			}
		}
		result["names"] = names
	}
	if q.Answers != nil {
		if unknown := d.live(q, result); unknown != "" {
			partly = unknown
		}
	}
	return result, partly
}

func list(all []any) []any {
	if all == nil {
		return []any{}
	}
	return all
}

// headerConflict says whether the document cannot tell which key header an operation wants: a name of a security scheme stands for one header, and is
// used where other operations have a header parameter of another name, or it is used both for webhooks and for the hand-out of secrets.
// That is what a framework makes of two headers under one default name: the last one wins.
func (d *Document) headerConflict() bool {
	schemes, _ := member(member(d.root, "components"), "securitySchemes").(map[string]any)
	headers := map[string]bool{}
	for _, scheme := range schemes {
		resolved, _ := d.resolve(scheme, "")
		if text(resolved, "type") == "apiKey" && text(resolved, "in") == "header" {
			headers[strings.ToLower(text(resolved, "name"))] = true
		}
	}
	users := map[string]map[string]bool{} // kinds of operations by scheme
	for _, o := range d.operations {
		for _, scheme := range d.schemesOf(o) {
			if users[scheme] == nil {
				users[scheme] = map[string]bool{}
			}
			kind := "others"
			switch {
			case strings.HasSuffix(o.path, "/webhooks/secrets"):
				kind = "secrets"
			case strings.Contains(o.path, "/webhooks/"):
				kind = "webhooks"
			}
			users[scheme][kind] = true
		}
	}
	for scheme, kinds := range users {
		resolved, _ := d.resolve(schemes[scheme], "")
		if text(resolved, "type") == "apiKey" && text(resolved, "in") == "header" && kinds["secrets"] && kinds["webhooks"] {
			return true
		}
	}
	return false
}

// wrongSchemas are the schemas of the components that are none: {name, problem}.
func (d *Document) wrongSchemas() []any {
	wrong := []any{}
	if d.schemas == nil {
		return append(wrong, map[string]any{"name": "", "problem": d.unusable})
	}
	schemas, _ := member(member(d.root, "components"), "schemas").(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		if _, err := d.compiled("/components/schemas/" + pointer.Token(name)); err != nil && len(wrong) < 100 {
			wrong = append(wrong, map[string]any{"name": name, "problem": err.Error()})
		}
	}
	return wrong
}

// live fills in what the answers of the run show.
func (d *Document) live(q Question, result map[string]any) (partly string) {
	answers, unkept := q.Answers.seen(q.Below)
	if unkept > 0 {
		partly = fmt.Sprintf("the run saw more answers than are kept to be held against the document: %d were not judged", unkept)
	}
	w := &walker{left: maxValues, names: map[string]map[string]any{}, times: map[string]map[string]any{}, texts: map[string]map[string]any{}, looksFor: q.Texts}
	wrong := map[string]map[string]any{}
	checked := 0
	for i := range answers {
		a := &answers[i]
		body := a.json()
		o := d.operationFor(a.method, a.path)
		if assertions.IsMissing(body) {
			if schema, _ := d.promised(q, o, a); schema != nil && a.isNoJSON() {
				note(wrong, o.name()+" is no JSON", nonconforming(o, a, "is no JSON, though its media type says so"))
				checked++
			}
			continue
		}
		w.of, w.test = a.method+" "+a.path, a.test
		if o != nil {
			w.of = o.name()
		}
		w.walk(body, "", "")
		schema, at := d.promised(q, o, a)
		if schema == nil {
			continue
		}
		problem, cannot := d.breaks(at, body)
		switch {
		case cannot != "":
			partly = "an answer to " + o.name() + " cannot be held against the document: " + cannot
		case problem != nil:
			note(wrong, o.name()+" "+anyIndex.ReplaceAllString(problem.Error(), "[]"), nonconforming(o, a, problem.Error()))
		}
		if cannot == "" {
			checked++
		}
	}
	if w.left < 0 {
		partly = "the answers of the run hold more values than are looked at"
	}
	if q.Fit {
		result["checked"], result["nonconforming"] = assertions.Number(int64(checked)), sorted(wrong)
	}
	result["live_names"], result["times"], result["texts"] = sorted(w.names), sorted(w.times), sorted(w.texts)
	return partly
}

// promised is the schema that a good answer is held against, and where it stands; nil: it is not held against any.
func (d *Document) promised(q Question, o *operation, a *answer) (schema any, at string) {
	if !q.Fit || o == nil || a.status < 200 || a.status > 299 {
		return nil, ""
	}
	return d.answerOf(o, strconv.Itoa(a.status))
}

func nonconforming(o *operation, a *answer, problem string) map[string]any {
	return map[string]any{"operation": o.name(), "status": assertions.Number(int64(a.status)), "problem": problem, "test": a.test}
}

var anyIndex = regexp.MustCompile(`\[\d+\]`)

// note keeps the first of its kind.
func note(all map[string]map[string]any, kind string, what map[string]any) {
	if _, known := all[kind]; !known && len(all) < maxLive {
		all[kind] = what
	}
}

func sorted(all map[string]map[string]any) []any {
	list := []any{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[key])
	}
	return list
}

// A walker looks at all values of bodies.
type walker struct {
	left     int
	of, test string
	looksFor *regexp.Regexp
	names    map[string]map[string]any
	times    map[string]map[string]any
	texts    map[string]map[string]any
}

var (
	looksLikeTime = regexp.MustCompile(`^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d)?`)
	hasOffset     = regexp.MustCompile(`[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$`)
)

func (w *walker) walk(v any, at, name string) {
	if w.left--; w.left < 0 {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, member := range slices.Sorted(maps.Keys(v)) {
			place := at + "/" + pointer.Token(member)
			w.noteName(place, member)
			w.walk(v[member], place, member)
		}
	case []any:
		for _, element := range v {
			w.walk(element, at+"/*", name)
		}
	case string:
		if strings.HasSuffix(name, "_at") || name == "timestamp" {
			offset := hasOffset.MatchString(v)
			if looksLikeTime.MatchString(v) || name == "created_at" || name == "updated_at" {
				note(w.times, fmt.Sprintf("%s %s %t", w.of, at, offset), map[string]any{"operation": w.of, "at": at, "name": name, "value": v, "offset": offset, "test": w.test})
			}
		}
		if w.looksFor != nil && w.looksFor.MatchString(v) {
			note(w.texts, w.of+" "+at, map[string]any{"operation": w.of, "at": at, "value": v, "test": w.test})
		}
	}
}

func (w *walker) noteName(at, name string) {
	key := w.of + " " + at
	if _, known := w.names[key]; !known && len(w.names) < maxNames {
		w.names[key] = map[string]any{"operation": w.of, "at": at, "name": name, "test": w.test}
	}
}

// errNoPattern is what a suite is told that looks for a pattern that is none.
var errNoPattern = errors.New("texts is no regular expression")

// Asked reads a question from what a suite says: operation, parameter, member, wanted, below, schemas, names, fit and texts; and of the answers of a record, if there is one.
func Asked(with map[string]any, answers *Record) (Question, error) {
	q := Question{Operation: text(with, "operation"), Parameter: text(with, "parameter"), Member: text(with, "member"), Wanted: text(with, "wanted"), Below: text(with, "below"), Schemas: with["schemas"] == true, Names: with["names"] == true, Fit: with["fit"] == true}
	if pattern := text(with, "texts"); pattern != "" {
		fits, err := regexp.Compile(pattern)
		if err != nil {
			return q, fmt.Errorf("%w: %w", errNoPattern, err)
		}
		q.Texts = fits
	}
	q.Answers = answers
	return q, nil
}
