// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"regexp"
	"slices"
	"strings"
)

// A Finding is what a test said of a server with a mutant, as far as it is judged here.
type Finding struct {
	Test   string `json:"test"`
	Route  string `json:"-"` // "GET /agents/{id}/v1/tasks/{id}"; may be empty
	Status int    `json:"-"`
	Text   string `json:"text"` // subject and problem, in one
}

// A Fate is what became of a mutant.
type Fate string

// The fates.
const (
	Killed    Fate = "killed"    // a requirement about what was changed failed, or warned
	Unrelated Fate = "unrelated" // only requirements about something else did
	Blocked   Fate = "blocked"   // none failed, but some could not be measured
	Survived  Fate = "survived"
	Implied   Fate = "implied"     // not played: its form "always" survived, and this one changes less
	Unreached Fate = "not reached" // the tests that were played did not make the change happen
)

// Judge says whether one of the findings is about what the mutant changes, and which. Seen are the values that were recorded
// at its site, as JSON: who changes an object changes what is in it.
func Judge(m Mutant, seen []string, findings []Finding) (Fate, *Finding) {
	if len(findings) == 0 {
		return Survived, nil
	}
	words := wordsOf(m)
	if strings.HasPrefix(m.Part, "json") {
		words = append(words, membersIn(seen)...)
	}
	for i := range findings {
		if about(m, words, &findings[i]) {
			return Killed, &findings[i]
		}
	}
	return Unrelated, &findings[0]
}

// about says whether a finding is about what the mutant changes: it names the part, and if that is a name that many things
// have, it is also a judgement of the same route.
func about(m Mutant, words []word, f *Finding) bool {
	route := f.Route
	if of := declaredIn(m.Part); of != "" && anyName.ReplaceAllString(route, "{}") == "OpenAPI "+of {
		return true
	}
	if strings.HasPrefix(route, "WS ") || strings.HasPrefix(route, "OpenAPI ") { // what comes on a connection, and what a document declares, may tell of anything
		route = ""
	}
	if told := toldRoute.FindStringSubmatch(f.Text); told != nil { // what looks at the whole run says whose answer it was
		route = told[1] + " " + Template(told[2])
	}
	same := route == "" || sameRoute(m.Kind, route) || compares(f.Test)
	text := plain(inBrackets.ReplaceAllString(f.Text, ""))
	if same && f.Test == wholeCards && isCard.MatchString(m.Kind) && strings.Contains(text, "signature") || follows(m, f.Test) {
		return true
	}
	for _, word := range words {
		if !strings.Contains(text, plain(word.text)) {
			continue
		}
		if same || !word.common {
			return true
		}
	}
	return false
}

// wholeCards is the test that holds a card against one that somebody else gets, signatures included. A card that is changed is signed
// again, and so the first member that differs may be the signature, whatever was changed.
const wholeCards = "AUTH-010"

var isCard = regexp.MustCompile(`/agent-card\.json 200$`)

// declaredIn is the operation of an OpenAPI document that a part of the document declares: "POST /sandboxes/{}/pause"; "" of another part.
func declaredIn(part string) string {
	found := declaredPart.FindStringSubmatch(part)
	if found == nil {
		return ""
	}
	return strings.ToUpper(found[2]) + " " + anyName.ReplaceAllString(found[1], "{}")
}

var (
	declaredPart = regexp.MustCompile(`^json\.paths\["([^"]+)"\]\.([a-z]+)(\.|$)`)
	anyName      = regexp.MustCompile(`\{[^{}]*\}`)
)

// compares says whether a test holds what one binding answers against what another one does, a stream or the answer to a message against
// what is kept, or a list against a count or a batch: its finding is about both, and names the request for one of them.
func compares(test string) bool {
	return strings.HasPrefix(test, "A2A-EQ-") || test == "A2A-STREAM-017" || test == "A2A-REST-013" || slices.Contains(heldAgainstLists, test)
}

var heldAgainstLists = []string{"OHV1-BATCH-010", "OHV1-COUNT-002", "OHV1-COUNT-003", "OHV1-COUNT-004", "OHV1-PRIV-012"}

// follows says whether a test goes where a header or a member leads: that it finds something else there, or nothing, is about that one,
// whose name no finding of that answer says. A card that stands elsewhere is looked for before the first test.
func follows(m Mutant, test string) bool {
	part := m.Part
	return test == preflight && strings.HasPrefix(m.Kind, "GET /cards/{id} ") ||
		strings.HasSuffix(part, ".signatures[].protected") && test == "A2A-SIG-009" ||
		part == "header Location" && (test == "TASK-008" || test == "ADM-009") ||
		strings.HasSuffix(part, ".params.sse_path") && test == "SAC-PROXY-013"
}

// preflight is what findings name in place of a test that are made before the first one.
const preflight = "PREFLIGHT"

// toldRoute matches the request that a finding names.
var toldRoute = regexp.MustCompile(`[ ("]([A-Z]+) https?://[^/ "]+(/[^ "?#]*)`)

// A word is one that a finding about a part has to hold.
type word struct {
	text   string
	common bool // it may mean something else, unless the route is the same
}

// inBrackets matches which element of a list is meant.
var inBrackets = regexp.MustCompile(`\[[0-9*]*\]`)

// plain is a text without what different layers spell differently: case, and what is no letter or digit.
func plain(text string) string {
	return strings.ToLower(notWord.ReplaceAllString(text, ""))
}

var notWord = regexp.MustCompile(`[^A-Za-z0-9]+`)

// wordsOf are the words for the part of a mutant.
func wordsOf(m Mutant) []word {
	part, name, _ := strings.Cut(m.Part, " ")
	switch {
	case part == "status":
		words := []word{{"status", true}, {"refused", true}, {"accepted", true}}
		if m.Operator == HTTP500 {
			words = append(words, word{"problem", true}, word{"Content-Type", true}) // what it says is no error document
		}
		return words
	case part == "header":
		return append([]word{{name, false}}, alias(name)...)
	case part == "metric":
		family := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count"), "_sum")
		return []word{{family, false}, {"metrics", true}, {"sample", true}}
	case part == "body":
		return bodyWords(m.Operator)
	case strings.HasPrefix(part, "json"):
		words := valueWords(m.Part)
		if strings.Contains(m.Kind, " event ") {
			words = append(words, word{"kind", true}) // an event that lacks what its kind needs is none of that kind
		}
		return words
	}
	words := append([]word{{part, true}}, partWords[part]...)
	if name != "" {
		words = append(words, word{name, true})
	}
	_, what, _ := strings.Cut(m.Kind, " event ")
	if what == "" {
		_, what, _ = strings.Cut(m.Kind, " frame ")
	}
	if what != "" {
		words = append(words, word{what[strings.LastIndexAny(what, "/.")+1:], true})
	}
	return words
}

// partWords are by what findings call events, frames and deliveries.
var partWords = map[string][]word{
	"stream": {{"event", true}, {"ended", true}, {"closed", true}}, "event": {{"task", true}, {"state", true}, {"stream", true}},
	"frame": {{"message", true}, {"closed", true}, {"sequence", true}, {"ping", true}, {"pong", true}, {"wire", true}},
	"code":  {{"close", true}}, "reason": {{"close", true}}, "field": {{"event", true}},
	"delivery": {{"requests", true}, {"delivered", true}}, "method": {{"requests", true}},
}

func bodyWords(operator string) []word {
	switch operator {
	case Media, HTML:
		return []word{{"content-type", false}, {"envelope", false}, {"outcome", true}, {"failure", true}, {"result", true}, {"media", true}, {"body", true}, {"json", true}, {"normal", true}, {"html", true}}
	case Delay:
		return []word{{"within", true}, {"no answer", true}, {"late", true}, {"after", true}, {"in time", true}, {" ms", true}}
	}
	return []word{{"envelope", false}, {"failure", true}, {"outcome", true}, {"result", true}, {"state", true}, {"body", true}, {"json", true}, {"object", true}, {"was cut", true}, {"missing", true}, {"empty", true}, {"answer", true}}
}

// valueWords are the names in a path, the last one first; the names above it say where, not what.
func valueWords(path string) []word {
	names := strings.FieldsFunc(path, func(c rune) bool { return c == '.' || c == '[' || c == ']' || c == '"' || c == '/' })
	words := tailWords(names)
	for i := len(names) - 1; i > 0; i-- {
		name := names[i]
		if name == "*" || name == "json" {
			continue
		}
		words = append(words, word{name, len(name) < 6 || i < len(names)-1})
		words = append(words, alias(name)...)
		if len(words) > 8 {
			break
		}
	}
	if len(names) == 1 {
		words = bodyWords(Empty)
	}
	return words
}

// tailWords are the last two names of a path in one, as subjects write them: "status.state", "result.id".
func tailWords(names []string) []word {
	n := len(names)
	if n < 2 {
		return nil
	}
	words := []word{{names[n-2] + names[n-1], false}}
	for _, before := range []string{"result", "json", "task", "body"} {
		words = append(words, word{before + names[n-1], n > 3})
	}
	return words
}

// membersIn are the names of the members of what was seen, at any depth.
func membersIn(seen []string) []word {
	var words []word
	names := map[string]bool{}
	var add func(v any)
	add = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				if !names[name] && len(name) > 1 {
					names[name] = true
					words = append(words, word{name, true})
				}
				add(inner)
			}
		case []any:
			for _, element := range v {
				add(element)
			}
		}
	}
	for _, text := range seen {
		v, _ := decode([]byte(text))
		add(v)
	}
	return words
}

// aliases are other words by which findings call a part.
var aliases = map[string][]string{
	"id": {"task", "id"}, "etag": {"304", "If-None-Match"}, "nextcursor": {"page", "walk", "listed"}, "nextpagetoken": {"page", "walk", "listed"}, "nextpageid": {"page", "walk", "listed"},
	"signatures": {"signature"}, "signature": {"jws"}, "protected": {"signature", "jws"}, "kid": {"key", "signature"},
	"x": {"key", "signature"}, "crv": {"key"}, "kty": {"key"}, "keys": {"key set", "jwks", "named"}, "tasks": {"list", "task"},
	"supportedinterfaces": {"interface", "binding"}, "securityschemes": {"security"}, "error": {"refusal", "problem", "envelope", "outcome", "failure"},
	"code": {"error", "outcome", "failure"}, "reason": {"outcome", "failure"}, "details": {"outcome", "failure"}, "errors": {"validation"}, "message": {"error"}, "contenttype": {"media"}, "wwwauthenticate": {"challenge"}, "a2aextensions": {"echo"}, "status": {"state"}, "statusevent": {"state", "requests"},
	"artifactupdate": {"artifact"},
}

func alias(name string) []word {
	var words []word
	for _, other := range aliases[plain(name)] {
		words = append(words, word{other, true})
	}
	return words
}

// sameRoute says whether the kind of an exchange is one of a route.
func sameRoute(kind, route string) bool {
	method, rest, _ := strings.Cut(kind, " ")
	path, _, _ := strings.Cut(rest, " ")
	if method == "WS" {
		method = "GET" // of the upgrade
	}
	asked, at, _ := strings.Cut(route, " ")
	at, _, _ = strings.Cut(at, " ")
	return method == asked && (anyID(path) == anyID(at) || belowStorage(path) == belowStorage(at))
}

var placeholder = regexp.MustCompile(`[A-Za-z0-9_-]*\{[a-z]+\}`) // what stands before one is a part of the id

func anyID(path string) string { return placeholder.ReplaceAllString(path, "{id}") }

// belowStorage is a path without what names the object, which suites write as one name; a path elsewhere is none.
func belowStorage(path string) string {
	if root, _, is := strings.Cut(path, "/storage/inbox/"); is {
		return root
	}
	return "elsewhere " + path
}
