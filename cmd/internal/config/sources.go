// SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/roctinam/agentic-sandbox-conformance/suites/yamltext"
)

// EnvPrefix is how the names of the variables begin that stand for flags: AGENTIC_SANDBOX_CONFORMANCE_EXECUTOR_URL for --executor-url.
const EnvPrefix = "AGENTIC_SANDBOX_CONFORMANCE_"

// SecretFlags hold values that are never shown.
var SecretFlags = map[string]bool{"token": true, "admin-token": true, "header": true, "public-header": true}

// VariableOf is the variable of the environment that stands for a flag.
func VariableOf(flag string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Resolve fills in what the command line left open, from the environment and then from the file that the flag config names; where it
// names none it is that of the current folder, if there is one. What it returns is filled in as far as it was read, even where there is an
// error.
func Resolve(flags *pflag.FlagSet, env Env) (Configured, error) {
	given, err := FromEnvironment(flags, env)
	if err != nil {
		return Configured{}, err
	}
	path := cmp.Or(flags.Lookup("config").Value.String(), found())
	if path == "" {
		return Configured{}, nil
	}
	text, err := yamltext.ReadFile(path, "configuration")
	if err != nil {
		return Configured{}, err
	}
	c, err := of(text, env)
	if err != nil {
		return Configured{}, err
	}
	return c.apply(flags, given)
}

// FromEnvironment sets every flag that the command line has not decided about and that has a variable. An empty variable is as good as
// none. It returns the flags that are decided about now, which stand above the file.
func FromEnvironment(flags *pflag.FlagSet, env Env) (given map[string]bool, err error) {
	given = map[string]bool{}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			given[f.Name] = true
		}
	})
	if err := exclusive(given, "on the command line"); err != nil {
		return nil, err
	}
	set := map[string]bool{}
	flags.VisitAll(func(f *pflag.Flag) {
		variable := VariableOf(f.Name)
		value, ok := env(variable)
		if !ok || value == "" || f.Name == "help" || err != nil || shadowed(f.Name, given) {
			return
		}
		if wrong := flags.Set(f.Name, value); wrong != nil {
			err = fmt.Errorf("environment variable %s: %v", variable, Malformed(wrong, f))
		}
		set[f.Name] = true
	})
	if err == nil {
		err = exclusive(set, "in the environment")
	}
	for name := range set {
		given[name] = true
	}
	return given, err
}

// alternatives are two ways to say the same thing: a higher source that uses one of them hides both in a lower source.
var alternatives = [][2]string{{"token", "token-file"}, {"admin-token", "admin-token-file"}}

// shadowed says whether a higher source has decided about the flag.
func shadowed(name string, given map[string]bool) bool {
	if given[name] {
		return true
	}
	for _, pair := range alternatives {
		if name == pair[0] && given[pair[1]] || name == pair[1] && given[pair[0]] {
			return true
		}
	}
	return false
}

func exclusive(given map[string]bool, where string) error {
	for _, pair := range alternatives {
		if given[pair[0]] && given[pair[1]] {
			return fmt.Errorf("--%s and --%s are both given %s; one is enough", pair[0], pair[1], where)
		}
	}
	return nil
}

// Malformed says what is wrong with the value of a flag without the value: it may be a credential that slipped behind the wrong
// flag.
func Malformed(err error, f *pflag.Flag) error {
	if SecretFlags[f.Name] {
		return errors.New("the value is malformed")
	}
	if wanted, known := flagTypes[f.Value.Type()]; known {
		return fmt.Errorf("want %s", wanted)
	}
	return err
}

// flagTypes are the types of flags whose values are read, in words.
var flagTypes = map[string]string{
	"int": "a whole number", "uint64": "a whole number that is not negative", "float64": "a number", "bool": "true or false",
	"duration": "a time such as 500ms, 30s or 5m", "stringSlice": "a list with commas in between",
}

// HeaderNames are the names of lines "name: value"; values may be secret.
func HeaderNames(lines []string) []string {
	var names []string
	for _, line := range lines {
		name, _, _ := strings.Cut(line, ":")
		names = append(names, strings.TrimSpace(name))
	}
	return names
}
