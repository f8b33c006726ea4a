// SPDX-License-Identifier: Apache-2.0

// Package config fills in what a command line leaves open: from the environment, and from a configuration file, which also holds hooks,
// cues and further tokens. A setting has four sources, flag over environment over file over default, and all four meet in one set of
// flags, so that a setting is read and refused in the same words wherever it comes from. All errors are mistakes of the user and hold no
// value that may be a secret.
package config

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

// FileName is the configuration file that is found by itself in the current folder.
const FileName = "agentic-sandbox-conformance.yaml"

// Configured is what the operator configures beyond flags: hooks, cues, and tokens of Identities that have no flag.
type Configured struct {
	Tokens map[string]string // by identity
	Hooks  map[string]runner.Hook
	Cues   map[string]any

	Secrets []string          // what hooks and cues got from variables of the environment
	At      map[string]string // "hook:restart": where it stands, with a colon and a blank behind it
}

// An Env looks up a variable of the environment.
type Env = func(name string) (string, bool)

// A file is a configuration file that has been read but not applied.
type file struct {
	*yamltext.File
	env Env

	drawn []string // the values of the variables that the file names, in order
}

// found is the configuration file of the current folder; empty: there is none.
func found() string {
	if _, err := os.Stat(FileName); err == nil {
		return FileName
	}
	return ""
}

// of is a YAML file as the configuration that it holds: one mapping.
func of(text *yamltext.File, env Env) (*file, error) {
	if root := text.Root; root != nil && root.Kind != yaml.MappingNode {
		return nil, text.At(root, "the configuration is a mapping from flag names to values")
	}
	return &file{File: text, env: env}, nil
}

// apply sets every flag that no higher source has decided about, and returns the rest. All mistakes are collected.
func (c *file) apply(flags *pflag.FlagSet, given map[string]bool) (Configured, error) {
	l := Configured{Tokens: map[string]string{}, Hooks: map[string]runner.Hook{}, Cues: map[string]any{}, At: map[string]string{}}
	if c.Root == nil {
		return l, nil
	}
	r := &reading{file: c, flags: flags, given: given, here: map[string]bool{}}
	known := namesOf(sections)
	for _, f := range fileFlags(flags) {
		known = append(known, f.Name)
	}
	c.Members(c.Root, func(key string, at, value *yaml.Node) {
		section := keyNamed(sections, key)
		switch {
		case section != nil && value.ShortTag() == "!!null": // all of it is still a comment
		case section != nil:
			section.read(r, &l, value)
		case !slices.Contains(known, key):
			c.Problem(at, "unknown key %q%s", key, spelling.DidYouMean(key, known))
		default:
			c.setFlag(flags.Lookup(key), at, value, given, r.here)
		}
	})
	here := r.here
	if err := exclusive(here, "in "+c.Path); err != nil {
		c.Errs = append(c.Errs, err)
	}
	if len(c.Errs) > 0 {
		return l, errors.Join(c.Errs...)
	}
	return l, nil
}

// setFlag sets one flag as the command line would.
func (c *file) setFlag(f *pflag.Flag, at, value *yaml.Node, given, here map[string]bool) {
	if here[f.Name] {
		c.Problem(at, "%s is given twice", f.Name)
		return
	}
	here[f.Name] = true
	if shadowed(f.Name, given) {
		return
	}
	items := []*yaml.Node{value}
	list, many := f.Value.(pflag.SliceValue)
	if many && value.Kind == yaml.SequenceNode {
		items = value.Content
	}
	var texts []string
	for _, item := range items {
		text, ok := c.text(item)
		if !ok {
			return
		}
		texts = append(texts, text)
	}
	var err error
	if many {
		err = list.Replace(texts)
	} else {
		err = f.Value.Set(texts[0])
	}
	if err != nil {
		c.Problem(value, "%s: %v", f.Name, Malformed(err, f))
		return
	}
	if SecretFlags[f.Name] && !many && texts[0] == "" {
		c.Problem(value, "%s is empty", f.Name)
	}
	f.Changed = true
}

// isMapping says whether a key has a mapping, and what of what it should be when not: what stands there may be a secret.
func (c *reading) isMapping(n *yaml.Node, key, ofWhat string) bool {
	if n.Kind != yaml.MappingNode {
		c.Problem(n, "%s is a mapping of %s", key, ofWhat)
	}
	return n.Kind == yaml.MappingNode
}

// tokens reads the mapping from identity to token. Two of them have flags, which are above the file.
func (c *reading) tokens(n *yaml.Node, l *Configured) {
	if !c.isMapping(n, "tokens", "identities to tokens, such as {instance: \"${TOKEN}\"}") {
		return
	}
	flagOf := map[string]string{"instance": "token", "admin": "admin-token"}
	c.Members(n, func(key string, at, value *yaml.Node) {
		if !slices.Contains(Identities, key) {
			c.Problem(at, "unknown identity %q%s; there are %s", key, spelling.DidYouMean(key, Identities), strings.Join(Identities, ", "))
			return
		}
		if name := flagOf[key]; name != "" {
			c.setFlag(c.flags.Lookup(name), at, value, c.given, c.here)
			return
		}
		text, ok := c.text(value)
		if ok && text == "" {
			c.Problem(value, "the token of %s is empty", key)
		}
		l.Tokens[key] = text
		l.At["token:"+key] = c.At(at, "").Error()
	})
}

// hooks reads what the operator can be asked to do.
func (c *reading) hooks(n *yaml.Node, l *Configured) {
	if !c.isMapping(n, "hooks", "names of hooks to what they do, such as {restart: {command: [PROGRAM, ARGUMENT]}}") {
		return
	}
	before := len(c.drawn)
	defer func() {
		l.Secrets = append(l.Secrets, slices.DeleteFunc(slices.Clone(c.drawn[before:]), isOpenValue)...)
	}()
	c.Members(n, func(name string, at, value *yaml.Node) {
		var h runner.Hook
		if value.Kind != yaml.MappingNode { // what stands there may be a secret
			c.Problem(value, "hook %s is a mapping: {command: [PROGRAM, ARGUMENT]}, {url: \"https://...\"} or {value: ...}", name)
			return
		}
		kinds := 0
		c.Members(value, func(key string, at, value *yaml.Node) {
			member := keyNamed(hookKeys, key)
			if member == nil {
				c.Problem(at, "unknown key %q in hook %s%s", key, name, spelling.DidYouMean(key, namesOf(hookKeys)))
				return
			}
			if slices.Contains(hookKinds, key) {
				kinds++
			}
			member.read(c, &h, value)
		})
		switch {
		case kinds != 1:
			c.Problem(at, "hook %s needs exactly one of command, url and value", name)
		case h.URL == "" && (h.Method != "" || h.Header != nil):
			c.Problem(at, "hook %s: method and header go with url", name)
		case h.Parallel && h.Value != nil:
			c.Problem(at, "hook %s: parallel goes with command and url; a value is not asked at all", name)
		case name == "login-cookie" && !cookieName.MatchString(textOf(h.Value)):
			c.Problem(at, "hook %s is written {value: NAME}, with the name of a cookie", name)
		case name == "v1-layout" && fmt.Sprint(h.Value) != laterLayout:
			c.Problem(at, "hook %s is written {value: %s}; that is the only layout beside the one of the contract", name, laterLayout)
		}
		l.Hooks[name] = h
		l.At["hook:"+name] = c.At(at, "").Error()
	})
}

// laterLayout is the layout of an app server that the hook v1-layout declares.
const laterLayout = "2026"

func textOf(v any) string {
	text, _ := v.(string)
	return text
}

var (
	// cookieName matches names of cookies (RFC 6265, 4.1.1).
	cookieName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	// hostName matches names of hosts, with or without a port: "ops.example:8443", "10.0.0.1". Tokens of several parts have
	// capitals or a last part that is none of a host.
	hostName = regexp.MustCompile(`^([a-z0-9-]{1,30}\.)+([a-z]{2,8}|localdomain)(:[0-9]+)?$|^[0-9]{1,3}(\.[0-9]{1,3}){3}(:[0-9]+)?$`)
	// plainPath matches paths as people write them. One secret of 64 in base64 begins with a slash.
	plainPath = regexp.MustCompile(`^/[a-z0-9._/-]*$`)
)

// isOpenValue says whether the value of a variable is no secret by its form: an address without credentials, the name of a
// host, a path, a number, a truth value. It would be missed in a report.
func isOpenValue(value string) bool {
	if _, err := strconv.ParseFloat(value, 64); err == nil && len(value) < 8 {
		return true
	}
	if _, err := strconv.ParseBool(value); err == nil {
		return true
	}
	if strings.HasPrefix(value, "/") {
		_, err := os.Stat(value)
		return err == nil || plainPath.MatchString(value)
	}
	return CheckURL(value) == nil || hostName.MatchString(value)
}

// cues reads the messages that bring the operator's agent into a situation.
func (c *reading) cues(n *yaml.Node, l *Configured) {
	if !c.isMapping(n, "cues", "names of cues to messages, such as {completed: \"say hello\"}") {
		return
	}
	before := len(c.drawn)
	defer func() { // a sentence from a variable is none; a password that an agent is told is
		l.Secrets = append(l.Secrets, slices.DeleteFunc(slices.Clone(c.drawn[before:]), func(value string) bool { return isOpenValue(value) || strings.Contains(value, " ") })...)
	}()
	c.Members(n, func(name string, at, value *yaml.Node) {
		l.At["cue:"+name] = c.At(at, "").Error()
		if value.Kind == yaml.ScalarNode {
			l.Cues[name], _ = c.text(value)
			return
		}
		cue, _ := c.json(value).(map[string]any)
		if _, ok := cue["json"]; !ok || len(cue) != 1 {
			c.Problem(value, "cue %s is a text, or {json: message}", name)
		}
		l.Cues[name] = cue
	})
}
