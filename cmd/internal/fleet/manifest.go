// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
)

// manifestName is the file that a run of many targets writes first.
const manifestName = "fleet.json"

// manifestSchema names its form.
const manifestSchema = "agentic-sandbox-conformance/fleet/v1"

// A Manifest says what a run of many targets was going to do: it is written before the first request, and stays as it is.
type Manifest struct {
	Schema    string      `json:"schema"`
	Tool      report.Tool `json:"tool"`
	StartedAt time.Time   `json:"startedAt"`
	SHA256    string      `json:"sha256"` // of the list, hex
	Shard     Shard       `json:"shard"`
	Own       []int       `json:"own"`     // the places of the targets that it plays, from 0
	Targets   []Listed    `json:"targets"` // the whole list
}

// WriteManifest writes it into the folder of a run.
func WriteManifest(folder string, m *Manifest) error {
	m.Schema = manifestSchema
	return formats.WriteFile(filepath.Join(folder, manifestName), func(w io.Writer) error { return report.WriteForm(w, m) })
}

// maxManifest bounds the file, in bytes: a list of a MiB, with its names.
const maxManifest = 16 << 20

// readManifest reads one that somebody else may have written.
func readManifest(r io.Reader) (*Manifest, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxManifest {
		return nil, fmt.Errorf("is longer than %d MiB", maxManifest>>20)
	}
	m := new(Manifest)
	d := json.NewDecoder(bytes.NewReader(text))
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("is no JSON of a run of many targets: %w", err)
	}
	if err := report.Unambiguous(text); err != nil {
		return nil, err
	}
	return m, m.check()
}

// folderName is what a target may be called.
var folderName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

var digestForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (m *Manifest) check() error {
	switch {
	case m.Schema != manifestSchema:
		return fmt.Errorf("schema is not %q", manifestSchema)
	case !digestForm.MatchString(m.SHA256):
		return errors.New("sha256 is no digest")
	case len(m.Targets) == 0 || len(m.Targets) > maxShards:
		return fmt.Errorf("it lists %d targets, want 1 to %d", len(m.Targets), maxShards)
	case m.Shard != (Shard{}) && (m.Shard.Of < 1 || m.Shard.Of > maxShards || m.Shard.Index < 0 || m.Shard.Index >= m.Shard.Of):
		return errors.New("there is no such shard")
	}
	taken := map[string]bool{}
	for i, t := range m.Targets {
		name := strings.ToLower(t.Name)
		if !folderName.MatchString(t.Name) || taken[name] {
			return fmt.Errorf("targets[%d].name is no name of a folder, or is that of another target", i)
		}
		taken[name] = true
	}
	own := map[int]bool{}
	for _, i := range m.Own {
		if i < 0 || i >= len(m.Targets) || !m.Shard.Has(i) || own[i] {
			return fmt.Errorf("own has %d, which is no target of the shard, or stands there twice", i)
		}
		own[i] = true
	}
	return nil
}

// same says whether two runs are of one list.
func (m *Manifest) same(other *Manifest) bool {
	if m.SHA256 != other.SHA256 || len(m.Targets) != len(other.Targets) {
		return false
	}
	for i := range m.Targets {
		if m.Targets[i].Name != other.Targets[i].Name || m.Targets[i].URL != other.Targets[i].URL {
			return false
		}
	}
	return true
}
