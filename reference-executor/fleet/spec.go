// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// specFiles are the specs of the agents that are served, a file each, by which their cards are made.
//
//go:embed specs/*.json
var specFiles embed.FS

// channel is how a spec asks for the inbox to be told of to the agent.
const channel = "server:sac"

// A spec is what the operator of an agent wrote down of it, as far as its card is made of it.
type spec struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		Runtime     string    `json:"runtime"`
		Model       string    `json:"model"` // where it stood before spec.claude
		Multiplexer string    `json:"multiplexer"`
		Host        names     `json:"host"`
		Hosts       *[]string `json:"hosts"`
		Claude      struct {
			Model    string   `json:"model"`
			Channels []string `json:"channels"`
		} `json:"claude"`
		Skills struct {
			Required []string `json:"required"`
		} `json:"skills"`
		Apptainer apptainer `json:"apptainer"`
	} `json:"spec"`

	text json.RawMessage // as it was written
}

// An apptainer is how the container of an agent is closed.
type apptainer struct {
	Relaxed        bool     `json:"relaxed"`
	Overlay        string   `json:"overlay"`
	Binds          []string `json:"binds"`
	PreflightAllow []string `json:"preflight_allow"`
}

// names is one name or a list of them.
type names []string

func (n *names) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*n = names{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(n))
}

// readSpecs reads the embedded specs, in the order of the agents' names.
func readSpecs() ([]*spec, error) {
	entries, err := specFiles.ReadDir("specs")
	if err != nil {
		return nil, err
	}
	var all []*spec
	for _, entry := range entries {
		text, err := specFiles.ReadFile("specs/" + entry.Name())
		if err != nil {
			return nil, err
		}
		one, err := readSpec(text)
		if err != nil {
			return nil, fmt.Errorf("specs/%s: %w", entry.Name(), err)
		}
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b *spec) int { return strings.Compare(a.Metadata.Name, b.Metadata.Name) })
	return all, nil
}

// readSpec reads one spec. A member that is not known is an error: it would be missing on the card.
func readSpec(text []byte) (*spec, error) {
	s := &spec{text: text}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(s); err != nil {
		return nil, err
	}
	if s.Metadata.Name == "" || s.APIVersion == "" {
		return nil, fmt.Errorf("a spec needs metadata.name and apiVersion")
	}
	return s, nil
}

// role is the label of that name, which every agent has.
func (s *spec) role() string {
	if role := s.Metadata.Labels["role"]; role != "" {
		return role
	}
	return "agent"
}

// required are the skills that the label and the spec ask for, each once, in the order of their names.
func (s *spec) required() []string {
	all := slices.Clone(s.Spec.Skills.Required)
	for item := range strings.SplitSeq(s.Metadata.Labels["skills"], ",") {
		if item = strings.TrimSpace(item); item != "" {
			all = append(all, item)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// listens says whether the agent is told of what comes into its inbox.
func (s *spec) listens() bool { return slices.Contains(s.Spec.Claude.Channels, channel) }
