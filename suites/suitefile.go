// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// sharedFile is the file of a folder that serves every suite of it.
const sharedFile = "shared.yaml"

// A common is what shared.yaml, or a bundled profile, gives every suite of a folder.
type common struct {
	row        profiles.Profile // of the profile whose suites they are
	header     []Header
	uris       map[string]string
	lifecycles map[string]Lifecycle
	shared     map[string][]*Step
	sharedAt   map[string]Position
	conditions map[string]*named
	used       map[string]bool // the conditions that shared.yaml itself uses
}

func (r *reader) common(n *yaml.Node, outer common) common {
	c := common{row: outer.row, header: outer.header, uris: copied(outer.uris), lifecycles: copied(outer.lifecycles),
		shared: copied(outer.shared), sharedAt: copied(outer.sharedAt),
		conditions: copied(outer.conditions), used: copied(outer.used)}
	// Shared steps may speak of addresses, lifecycles and conditions, so those come first, wherever they stand.
	r.first(n, "uris", func(v *yaml.Node) { r.readURIs(&c, v) })
	r.first(n, "lifecycles", func(v *yaml.Node) { r.lifecycles(v, c.lifecycles) })
	r.uris, r.life, r.known, r.used = c.uris, c.lifecycles, c.conditions, c.used
	r.first(n, "conditions", r.readConditions)
	readEntries(r, n, sharedFile, commonKeys, &c)
	return c
}

// first reads the value of one key before the others are read.
func (r *nodes) first(n *yaml.Node, name string, read func(v *yaml.Node)) {
	for key, value := range pairs(n) {
		if n.Kind == yaml.MappingNode && key.Value == name {
			read(value)
			return
		}
	}
}

var commonKeys []entry[common]

func init() {
	commonKeys = []entry[common]{
		{"uris", "short names for long URIs: ${uri.x}", refSchema("uris"),
			func(*reader, *common, *yaml.Node) {}}, // is read before all others
		{"header", "default request headers", refSchema("header"),
			func(r *reader, c *common, v *yaml.Node) { c.header = WithDefaults(r.defaultHeaders(v), c.header) }},
		{"lifecycles", "graphs of states", refSchema("lifecycles"),
			func(*reader, *common, *yaml.Node) {}}, // is read before all others
		{"conditions", "what is wanted of a value, by a name: {is: final}", refSchema("conditions"),
			func(*reader, *common, *yaml.Node) {}}, // is read before all others
		{"shared", "steps by name, for use", refSchema("shared"),
			func(r *reader, c *common, v *yaml.Node) { r.shared(v, c.shared, c.sharedAt) }},
	}
}

func (r *reader) readURIs(c *common, n *yaml.Node) {
	if !r.isMapping(n, "uris") {
		return
	}
	for key, value := range pairs(n) {
		if !isWord.MatchString(key.Value) {
			r.problem(key, "%s cannot be a name: letters, digits, _ and - make one", quoted(key.Value))
		}
		if _, twice := c.uris[key.Value]; twice {
			r.problem(key, "${uri.%s} is already known", key.Value)
		}
		c.uris[key.Value] = r.sentence(value, "uri."+key.Value)
	}
}

// suite reads a suite file, and returns where its shared steps stand beside it.
func (r *reader) suite(n *yaml.Node, outer common) (*Suite, map[string]Position) {
	s := &Suite{row: outer.row, At: Position{File: r.file, Line: n.Line, Col: n.Column}, Header: outer.header, URIs: outer.uris,
		Lifecycles: copied(outer.lifecycles), Shared: copied(outer.shared), conditions: copied(outer.conditions), used: copied(outer.used)}
	r.first(n, "lifecycles", func(v *yaml.Node) { r.lifecycles(v, s.Lifecycles) })
	r.uris, r.life, r.known, r.used = outer.uris, s.Lifecycles, s.conditions, s.used
	r.first(n, "conditions", r.readConditions)
	d := suiteDraft{suite: s, sharedAt: copied(outer.sharedAt)}
	if !readEntries(r, n, "a suite", suiteKeys, &d) {
		return s, d.sharedAt
	}
	if !hasKey(n, "suite") {
		r.problem(n, "a suite needs its title: suite")
	}
	if d.tests == nil && !hasKey(n, "untested") {
		r.problem(n, "a suite needs tests")
	}
	if s.Surface == "" {
		s.Surface = strings.TrimSuffix(path.Base(r.file), ".yaml")
	}
	// Tests take over what the suite says about all of them, wherever in the file it stands.
	if d.tests != nil && r.isList(d.tests, "tests") {
		for i, one := range d.tests.Content {
			d.tests.Content[i] = nil // a large file's tree and its tests need not both be held
			if t := r.test(one, s); t != nil {
				s.Tests = append(s.Tests, t)
			}
		}
	}
	return s, d.sharedAt
}

type suiteDraft struct {
	suite    *Suite
	sharedAt map[string]Position
	tests    *yaml.Node
}

var suiteKeys []entry[suiteDraft]

func init() {
	suiteKeys = []entry[suiteDraft]{
		{"suite", "the title", refSchema("sentence"),
			func(r *reader, d *suiteDraft, v *yaml.Node) { d.suite.Title = r.sentence(v, "suite") }},
		{"contract", "the document that the sources refer to", refSchema("sentence"),
			func(r *reader, d *suiteDraft, v *yaml.Node) { d.suite.Contract = r.sentence(v, "contract") }},
		{"surface", "groups tests in reports; the name of the file if not said", textSchema(isSurface),
			func(r *reader, d *suiteDraft, v *yaml.Node) {
				d.suite.Surface = r.form(v, "surface", isSurface, "pty-ws")
			}},
		{"as", "the credentials of steps that do not say; instance if not said", enumSchema(Credentials...),
			func(r *reader, d *suiteDraft, v *yaml.Node) { d.suite.As = r.choice(v, "as", Credentials...) }},
		{"header", "default request headers of the suite", refSchema("header"),
			func(r *reader, d *suiteDraft, v *yaml.Node) {
				d.suite.Header = WithDefaults(r.defaultHeaders(v), d.suite.Header)
			}},
		{"applies", "when the requirements of the suite are judged", refSchema("applies"),
			func(r *reader, d *suiteDraft, v *yaml.Node) { d.suite.Applies = r.applies(v) }},
		{"lifecycles", "graphs of states", refSchema("lifecycles"),
			func(*reader, *suiteDraft, *yaml.Node) {}}, // is read before all others
		{"conditions", "named conditions: {is: final}, in addition to those in the folder's shared.yaml", refSchema("conditions"),
			func(*reader, *suiteDraft, *yaml.Node) {}}, // is read before all others
		{"shared", "steps by name, for use, in addition to those in the folder's shared.yaml", refSchema("shared"),
			func(r *reader, d *suiteDraft, v *yaml.Node) { r.shared(v, d.suite.Shared, d.sharedAt) }},
		{"tests", "the requirements", refSchema("tests"),
			func(r *reader, d *suiteDraft, v *yaml.Node) { d.tests = v }},
		{"untested", "requirements that no client can observe", refSchema("untested"),
			func(r *reader, d *suiteDraft, v *yaml.Node) { d.suite.Untested = r.untested(v) }},
	}
}

var (
	isSurface = regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`)
	isState   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
)

func (r *reader) lifecycles(n *yaml.Node, into map[string]Lifecycle) {
	if !r.isMapping(n, "lifecycles") {
		return
	}
	for key, value := range pairs(n) {
		if _, twice := into[key.Value]; twice {
			r.problem(key, "the lifecycle %s is already known", key.Value)
		}
		var l Lifecycle
		if readEntries(r, value, "a lifecycle", lifecycleKeys, &l) {
			seen := map[string]bool{}
			for _, state := range append(append(append([]string{}, l.Initial...), l.Open...), l.Final...) {
				if seen[state] {
					r.problem(value, "the state %s appears twice in the lifecycle %s", state, key.Value)
				}
				seen[state] = true
			}
			if len(l.Final) == 0 && len(l.Open) == 0 {
				r.problem(value, "the lifecycle %s has neither open nor final states", key.Value)
			}
		}
		into[key.Value] = l
	}
}

func stateEntry(name, means string, at func(*Lifecycle) *[]string) entry[Lifecycle] {
	return entry[Lifecycle]{name, means, refSchema("states"), func(r *reader, l *Lifecycle, v *yaml.Node) {
		if r.isList(v, name) {
			*at(l) = r.texts(v, name, func(one *yaml.Node) string { return r.form(one, name, isState, "input-required") })
		}
	}}
}

var lifecycleKeys = []entry[Lifecycle]{
	stateEntry("initial", "states that are never entered again", func(l *Lifecycle) *[]string { return &l.Initial }),
	stateEntry("open", "states that any other may follow", func(l *Lifecycle) *[]string { return &l.Open }),
	stateEntry("final", "states that nothing follows", func(l *Lifecycle) *[]string { return &l.Final }),
}

func (r *reader) shared(n *yaml.Node, into map[string][]*Step, at map[string]Position) {
	if !r.isMapping(n, "shared") {
		return
	}
	for key, value := range pairs(n) {
		if !isWord.MatchString(key.Value) {
			r.problem(key, "%s cannot be the name of shared steps", quoted(key.Value))
		}
		if first, twice := at[key.Value]; twice {
			r.problem(key, "shared steps called %s are already in %s", key.Value, first)
			continue
		}
		into[key.Value], at[key.Value] = r.steps(value, "the shared steps "+key.Value), r.at(key)
	}
}

func (r *reader) untested(n *yaml.Node) []Untested {
	if !r.isList(n, "untested") {
		return nil
	}
	all := make([]Untested, 0, len(n.Content))
	for _, element := range n.Content {
		u := Untested{At: r.at(element)}
		if readEntries(r, element, "an untested requirement", untestedKeys, &u) {
			r.hasLevel(element, "an untested requirement")
			for _, needed := range []string{"id", "because"} {
				if !hasKey(element, needed) {
					r.problem(element, "an untested requirement needs %s", needed)
				}
			}
		}
		all = append(all, u)
	}
	return all
}

var untestedKeys = append([]entry[Untested]{
	{"id", "the catalog's id", textSchema(isID),
		func(r *reader, u *Untested, v *yaml.Node) { u.ID = r.form(v, "id", isID, "CARD-022") }},
	{"source", "where the contract says so", refSchema("sentence"),
		func(r *reader, u *Untested, v *yaml.Node) { u.Source = r.sentence(v, "source") }},
	{"because", "why no client can observe it", refSchema("sentence"),
		func(r *reader, u *Untested, v *yaml.Node) { u.Because = r.sentence(v, "because") }},
}, levelEntries(func(u *Untested, level Level, says string) { u.Level, u.Says = level, says })...)
