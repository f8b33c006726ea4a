// SPDX-License-Identifier: Apache-2.0

package config

import (
	"net/http"
	"regexp"
	"slices"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/suites/runner"
)

// A schema is a JSON Schema.
type schema = map[string]any

// A reading is a configuration file that is being applied.
type reading struct {
	*file
	flags       *pflag.FlagSet
	given, here map[string]bool // the flags that a higher source, and this file, has decided about
}

// A fileKey is a key of the configuration file that is no flag, or one of a hook in it: what it is for, what may stand behind it, and
// how that is read. The reader and the JSON Schema are both made of these.
type fileKey[T any] struct {
	name, means string
	schema      func() schema
	read        func(c *reading, into *T, value *yaml.Node)
}

func namesOf[T any](keys []fileKey[T]) []string {
	names := make([]string, len(keys))
	for i := range keys {
		names[i] = keys[i].name
	}
	return names
}

func keyNamed[T any](keys []fileKey[T], name string) *fileKey[T] {
	if i := slices.IndexFunc(keys, func(k fileKey[T]) bool { return k.name == name }); i >= 0 {
		return &keys[i]
	}
	return nil
}

// fileFlags are the flags that the file can set, by name.
func fileFlags(flags *pflag.FlagSet) []*pflag.Flag {
	var all []*pflag.Flag
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Name != "config" && f.Name != "help" {
			all = append(all, f)
		}
	})
	return all
}

// Identities are those whose tokens a configuration can hold.
var Identities = []string{"instance", "admin", "operator", "observe", "foreign"}

// sections are the keys of the file beside flags.
var sections = []fileKey[Configured]{
	{"tokens", "The tokens, by identity. Name environment variables: ${NAME}.", tokensSchema,
		func(c *reading, l *Configured, value *yaml.Node) { c.tokens(value, l) }},
	{"hooks", "What you can be asked to do, or state, by name.", hooksSchema,
		func(c *reading, l *Configured, value *yaml.Node) { c.hooks(value, l) }},
	{"cues", "The messages that bring your agent into a situation, by name.", cuesSchema,
		func(c *reading, l *Configured, value *yaml.Node) { c.cues(value, l) }},
}

// hookKinds are the keys of which a hook has exactly one.
var hookKinds = []string{"command", "url", "value"}

// hookKeys are the keys of a hook.
var hookKeys = []fileKey[runner.Hook]{
	{"command", "A program and its arguments, which are started without a shell.", func() schema { return listOf(scalar) },
		func(c *reading, h *runner.Hook, value *yaml.Node) {
			h.Command = c.texts(value)
			if len(h.Command) == 0 {
				c.Problem(value, "command is a list: the program and its arguments")
			}
		}},
	{"url", "An address that is asked over HTTP.", func() schema { return schema{"type": "string", "pattern": `^https?://|\$\{`} },
		func(c *reading, h *runner.Hook, value *yaml.Node) {
			h.URL, _ = c.text(value)
			if err := CheckURL(h.URL); err != nil {
				c.Problem(value, "url: %v", err)
			}
		}},
	{"value", "The answer itself: nobody is asked.", func() schema { return schema{} },
		func(c *reading, h *runner.Hook, value *yaml.Node) { h.Value = c.json(value) }},
	{"method", "The method of the request; default: POST.", func() schema { return schema{"type": "string"} },
		func(c *reading, h *runner.Hook, value *yaml.Node) { h.Method, _ = c.text(value) }},
	{"header", "The header of the request.", func() schema { return schema{"type": "object", "additionalProperties": scalar} },
		func(c *reading, h *runner.Hook, value *yaml.Node) {
			h.Header = http.Header{}
			c.Members(value, func(key string, _, value *yaml.Node) {
				text, _ := c.text(value)
				h.Header.Add(key, text)
			})
		}},
	{"parallel", "Tests may ask the hook at the same time.", func() schema { return schema{"type": "boolean"} },
		func(c *reading, h *runner.Hook, value *yaml.Node) {
			if value.Decode(&h.Parallel) != nil {
				c.Problem(value, "parallel is true or false: whether tests may ask the hook at the same time")
			}
		}},
}

// durationForm is how times are written, as [time.ParseDuration] reads them.
var durationForm = regexp.MustCompile(`^([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+$`)
