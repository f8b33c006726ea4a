// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
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

// configName is found by itself in the current folder.
const configName = program + ".yaml"

// configured is what the operator configures beyond flags: hooks, cues, and tokens of identities that have no flag.
type configured struct {
	tokens map[string]string
	hooks  map[string]runner.Hook
	cues   map[string]any

	secrets []string          // what hooks and cues got from variables of the environment
	at      map[string]string // "hook:restart": where it stands
}

// A configFile is a configuration file that has been read but not applied.
type configFile struct {
	*yamltext.File
	env func(string) (string, bool)

	drawn []string // the values of the variables that the file names, in order
}

func foundConfig() string {
	if _, err := os.Stat(configName); err == nil {
		return configName
	}
	return ""
}

// readConfig reads the file and checks that it is one YAML mapping.
func readConfig(path string, env func(string) (string, bool)) (*configFile, error) {
	file, err := yamltext.ReadFile(path, "configuration")
	if err != nil {
		return nil, usage("%w", err)
	}
	return configOf(file, env)
}

// configOf is a YAML file as the configuration that it holds.
func configOf(file *yamltext.File, env func(string) (string, bool)) (*configFile, error) {
	if root := file.Root; root != nil && root.Kind != yaml.MappingNode {
		return nil, usage("%v", file.At(root, "the configuration is a mapping from flag names to values"))
	}
	return &configFile{File: file, env: env}, nil
}

// apply sets every flag that no higher source has decided about, and returns the rest. All mistakes are collected.
func (c *configFile) apply(flags *pflag.FlagSet, given map[string]bool) (configured, error) {
	l := configured{tokens: map[string]string{}, hooks: map[string]runner.Hook{}, cues: map[string]any{}, at: map[string]string{}}
	if c.Root == nil {
		return l, nil
	}
	r := &configReading{configFile: c, flags: flags, given: given, here: map[string]bool{}}
	known := namesOf(configSections)
	for _, f := range configFlags(flags) {
		known = append(known, f.Name)
	}
	c.Members(c.Root, func(key string, at, value *yaml.Node) {
		section := keyNamed(configSections, key)
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
		return l, usage("%w", errors.Join(c.Errs...))
	}
	return l, nil
}

// setFlag sets one flag as the command line would.
func (c *configFile) setFlag(f *pflag.Flag, at, value *yaml.Node, given, here map[string]bool) {
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
		c.Problem(value, "%s: %v", f.Name, plain(err, f))
		return
	}
	if secretFlags[f.Name] && !many && texts[0] == "" {
		c.Problem(value, "%s is empty", f.Name)
	}
	f.Changed = true
}

// tokens reads the mapping from identity to token. Two of them have flags, which are above the file.
func (c *configReading) tokens(n *yaml.Node, l *configured) {
	flagOf := map[string]string{"instance": "token", "admin": "admin-token"}
	c.Members(n, func(key string, at, value *yaml.Node) {
		if !slices.Contains(identities, key) {
			c.Problem(at, "unknown identity %q%s; there are %s", key, spelling.DidYouMean(key, identities), strings.Join(identities, ", "))
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
		l.tokens[key] = text
		l.at["token:"+key] = c.At(at, "").Error()
	})
}

// hooks reads what the operator can be asked to do.
func (c *configReading) hooks(n *yaml.Node, l *configured) {
	before := len(c.drawn)
	defer func() {
		l.secrets = append(l.secrets, slices.DeleteFunc(slices.Clone(c.drawn[before:]), isOpenValue)...)
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
		}
		l.hooks[name] = h
		l.at["hook:"+name] = c.At(at, "").Error()
	})
}

var (
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
	return checkURL(value) == nil || hostName.MatchString(value)
}

// cues reads the messages that bring the operator's agent into a situation.
func (c *configReading) cues(n *yaml.Node, l *configured) {
	before := len(c.drawn)
	defer func() { // a sentence from a variable is none; a password that an agent is told is
		l.secrets = append(l.secrets, slices.DeleteFunc(slices.Clone(c.drawn[before:]), func(value string) bool { return isOpenValue(value) || strings.Contains(value, " ") })...)
	}()
	c.Members(n, func(name string, at, value *yaml.Node) {
		l.at["cue:"+name] = c.At(at, "").Error()
		if value.Kind == yaml.ScalarNode {
			l.cues[name], _ = c.text(value)
			return
		}
		cue, _ := c.json(value).(map[string]any)
		if _, ok := cue["json"]; !ok || len(cue) != 1 {
			c.Problem(value, "cue %s is a text, or {json: message}", name)
		}
		l.cues[name] = cue
	})
}
