// SPDX-License-Identifier: Apache-2.0

// Package reviewed reads lists of what reviewers have found right for once, in YAML: each entry of a profile, and with its reason.
package reviewed

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"go.yaml.in/yaml/v4"
)

// An Entry is one of a list.
type Entry interface {
	Whole() bool            // whether it has all that an entry needs
	Of(profile string) bool // whether it is about a profile
}

// Read reads the list in a file of that name, and returns the entries that are about a profile, those that are not whole among them. needs
// is what an entry needs, as the end of a sentence. All entries that are not whole are errors, and so is a member that E does not have.
func Read[E Entry](name string, text []byte, profile, needs string) ([]E, error) {
	var all []E
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var problems []error
	for _, e := range all {
		if !e.Whole() {
			problems = append(problems, fmt.Errorf("%s: an entry needs %s: %+v", name, needs, e))
		}
	}
	return slices.DeleteFunc(all, func(e E) bool { return !e.Of(profile) }), errors.Join(problems...)
}
