// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

// Targets is a list of targets that has been read, for a run of many: a YAML list, or one URL a line.
type Targets struct {
	SHA256  string // of the file, hex
	Entries []*Entry
}

// An Entry is one target of a list, with what is configured for it alone: it takes the keys of a configuration file. Its values
// are read by Resolve, so that a shard needs no variable of the environment that only the targets of others name.
type Entry struct {
	Name    string // as the operator calls it; "": he does not
	URL     string // as it stands there: ${NAME} is not filled in
	Profile string // "": it is not named here
	Labels  map[string]string

	text *yamltext.File
	at   *yaml.Node // where it stands; nil: in a list of plain URLs
	line int        // in a list of plain URLs
}

const (
	// maxTargetsFile bounds the file, in bytes, and maxTargets what stands in it.
	maxTargetsFile = 1 << 20
	maxTargets     = 5_000
)

// ofOneTarget are flags that say where a target is. They stand in the list of targets: those of a configuration file that was written
// for one target are not taken for all of them.
var ofOneTarget = []string{"executor-url", "instance", "admin-url", "jwks", "session"}

// ofTheFleet are flags of a run of many targets as a whole, which no single target has.
var ofTheFleet = []string{"targets", "target", "shard", "targets-at-once", "all-instances", "report-format", "report-out", "verbose", "quiet", "no-color"}

// ReadTargets reads a list of targets. flags are those of a run: their names are the keys that an entry may have. All mistakes
// are collected; none of them shows what may be a secret.
func ReadTargets(path string, flags *pflag.FlagSet) (*Targets, error) {
	text, err := readTargetsFile(path)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(text)
	all := &Targets{SHA256: hex.EncodeToString(digest[:])}
	if lines, are := plainLines(text); are {
		f := &yamltext.File{Path: path}
		for _, l := range lines {
			f.Errs = append(f.Errs, checkLine(path, l)...)
			all.Entries = append(all.Entries, &Entry{URL: l.url, text: f, line: l.number})
		}
		return all, all.check(f)
	}
	f, err := yamltext.ParseFile(path, text)
	if err != nil {
		return nil, err
	}
	if f.Root == nil {
		return nil, fmt.Errorf("%s: there is no target in it; it is a list of URLs, or of mappings with executor-url", path)
	}
	if f.Root.Kind != yaml.SequenceNode {
		return nil, f.At(f.Root, "a list of targets is wanted here: one URL a line, or a YAML list whose entries begin with - executor-url: https://...")
	}
	known := entryKeys(flags)
	for _, n := range f.Root.Content {
		all.Entries = append(all.Entries, entryAt(f, n, known))
	}
	return all, all.check(f)
}

func readTargetsFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the list of targets: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxTargetsFile+1))
	if err != nil {
		return nil, fmt.Errorf("the list of targets: %w", err)
	}
	if len(text) > maxTargetsFile {
		return nil, fmt.Errorf("the list of targets: %s is larger than %d bytes", path, maxTargetsFile)
	}
	return text, nil
}

// A urlLine is a line of a list of plain URLs.
type urlLine struct {
	number int
	url    string
}

// plainLines reads a list that is one URL a line, with comments and empty lines, and says whether the text is one.
func plainLines(text []byte) (lines []urlLine, are bool) {
	number := 0
	for line := range bytes.Lines(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		number++
		word := string(bytes.TrimSpace(line))
		switch {
		case word == "" || word[0] == '#':
		case strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://"):
			lines = append(lines, urlLine{number, word})
		default:
			return nil, false
		}
	}
	return lines, len(lines) > 0
}

func checkLine(path string, l urlLine) []error {
	if strings.ContainsAny(l.url, " \t") {
		return []error{fmt.Errorf("%s:%d: one URL a line; what else is said of a target stands in a YAML list", path, l.number)}
	}
	if err := CheckURL(l.url); err != nil {
		return []error{fmt.Errorf("%s:%d: the URL %w", path, l.number, err)}
	}
	return nil
}

// check looks at the list as a whole.
func (t *Targets) check(f *yamltext.File) error {
	if len(t.Entries) > maxTargets {
		return fmt.Errorf("%s lists %d targets, want at most %d", f.Path, len(t.Entries), maxTargets)
	}
	if len(t.Entries) == 0 {
		return fmt.Errorf("%s: there is no target in it; it is a list of URLs, or of mappings with executor-url", f.Path)
	}
	taken := map[string]bool{}
	for _, e := range t.Entries {
		name := strings.ToLower(e.Name)
		if e.Name != "" && taken[name] {
			f.Problem(e.at, "the name %q is given to two targets", e.Name)
		}
		taken[name] = true
	}
	return f.Wrong()
}

// aName is how an operator may call a target; folders are called so on every system.
var aName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$`)

// entryKeys are the keys that an entry may have beside its own.
func entryKeys(flags *pflag.FlagSet) []string {
	keys := append([]string{"name", "labels"}, namesOf(sections)...)
	for _, f := range fileFlags(flags) {
		if !slices.Contains(ofTheFleet, f.Name) {
			keys = append(keys, f.Name)
		}
	}
	return keys
}

// entryAt reads what an entry says of itself, and checks everything that needs no environment.
func entryAt(f *yamltext.File, n *yaml.Node, known []string) *Entry {
	e := &Entry{text: f, at: n}
	if n.Kind == yaml.ScalarNode {
		e.URL = n.Value
		if err := CheckURL(e.URL); err != nil {
			f.Problem(n, "the URL %v", err)
		}
		return e
	}
	f.Members(n, func(key string, at, value *yaml.Node) {
		switch {
		case slices.Contains(ofTheFleet, key):
			f.Problem(at, "%s is for all targets together, not for one of them: it stands on the command line or in the configuration file", key)
		case !slices.Contains(known, key):
			f.Problem(at, "unknown key %q%s", key, spelling.DidYouMean(key, known))
		case key == "name":
			if e.Name = value.Value; value.Kind != yaml.ScalarNode || !aName.MatchString(e.Name) {
				f.Problem(value, "a name is made of letters, digits, dots, hyphens and underscores, begins with a letter or a digit, and has at most 80 characters")
			}
		case key == "labels":
			e.Labels = labels(f, value)
		case key == "executor-url":
			e.URL = value.Value
		case key == "profile" && value.Kind == yaml.ScalarNode:
			e.Profile = value.Value
		default:
			noLiteral(f, key, value)
		}
	})
	switch {
	case e.URL == "" && n.Kind == yaml.MappingNode:
		f.Problem(n, "executor-url is missing: it names the target")
	case strings.Contains(e.URL, "${"):
		if e.Name == "" {
			f.Problem(n, "a target whose URL is in the environment needs a name, by which it is known where that is not set")
		}
	case e.URL != "":
		if err := CheckURL(e.URL); err != nil {
			f.Problem(n, "executor-url %v", err)
		}
	}
	return e
}

// labels are what the operator says of a target, for whoever reads the overview.
func labels(f *yamltext.File, n *yaml.Node) map[string]string {
	all := map[string]string{}
	f.Members(n, func(key string, at, value *yaml.Node) {
		switch {
		case value.Kind != yaml.ScalarNode || value.ShortTag() == "!!null":
			f.Problem(value, "a label is a plain value")
		case len(key) > 63 || len(value.Value) > 200:
			f.Problem(at, "a label has a name of at most 63 bytes and a value of at most 200")
		case len(all) == 16:
			f.Problem(at, "a target has at most 16 labels")
		default:
			all[key] = value.Value
		}
	})
	return all
}

// variable is what stands for a secret in a list of targets.
var variable = regexp.MustCompile(`^\$\{[A-Za-z_][A-Za-z0-9_]*\}$`)

// noLiteral refuses a credential that stands in the list itself: it is a file that is checked in, mounted and shown.
func noLiteral(f *yamltext.File, key string, n *yaml.Node) {
	literal := func(n *yaml.Node, what string) {
		if n.Kind == yaml.ScalarNode && !variable.MatchString(n.Value) {
			f.Problem(n, "%s stands here itself: name a variable of the environment instead, as in \"${TARGET_TOKEN}\", or a file with token-file or admin-token-file", what)
		}
	}
	switch key {
	case "token", "admin-token":
		literal(n, "a token")
	case "tokens":
		if n.Kind == yaml.MappingNode {
			for i := 1; i < len(n.Content); i += 2 {
				literal(n.Content[i], "a token")
			}
		}
	case "token-file", "admin-token-file":
		if n.Value == "-" {
			f.Problem(n, "standard input cannot be the token of one target among several; name a file")
		}
	case "header":
		for _, line := range append(slices.Clone(n.Content), n) {
			if line.Kind == yaml.ScalarNode && !strings.Contains(line.Value, "${") {
				f.Problem(line, "the value of a header that is sent as a credential stands here itself: name a variable of the environment, as in \"X-Api-Key: ${TARGET_KEY}\"; what is no credential is a public-header")
			}
		}
	}
}
