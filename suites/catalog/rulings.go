// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

//go:embed rulings/*.json
var rulings embed.FS

// A Ruling says how the suites read the contract where it can be read in two ways, is silent, or contradicts itself. It
// belongs to its profile: AMB-18 of one is another matter than AMB-18 of the other.
type Ruling struct {
	ID           string   `json:"id"`    // "AMB-18", or "A56" for the terminals
	Title        string   `json:"title"` // what is not clear
	Ruling       string   `json:"ruling"`
	Requirements []string `json:"requirements"` // the ids that it decides
}

// Rulings returns the rulings on the contract of a profile; none when there is no list of them.
func Rulings(profile string) ([]Ruling, error) {
	text, err := rulings.ReadFile("rulings/" + profile + ".json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []Ruling
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("rulings on %s: %w", profile, err)
	}
	return all, nil
}
