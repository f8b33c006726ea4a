// SPDX-License-Identifier: Apache-2.0

package attest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ReleaseType is the predicate of a release of this program: its name and version, and every file that it is made of
// (https://github.com/in-toto/attestation/blob/main/spec/predicates/release.md).
const ReleaseType = "https://in-toto.io/attestation/release/v0.1"

// releasePURL begins the package URL of every release of this program (https://github.com/package-url/purl-spec); the version follows.
const releasePURL = "pkg:golang/github.com/roctinam/agentic-sandbox-conformance@"

// release is the predicate.
type release struct {
	PURL string `json:"purl"`
}

// StateRelease makes the statement about a release: its version, as the Go module has it (v1.2.3), and all of its files.
func StateRelease(version string, files []Subject) (*Statement, error) {
	predicate, err := json.Marshal(release{releasePURL + version})
	if err != nil {
		return nil, err
	}
	s := &Statement{Type: StatementType, Subject: slices.Clone(files), PredicateType: ReleaseType, Predicate: predicate}
	if _, err := s.Version(); err != nil {
		return nil, err
	}
	return s, s.check()
}

// ParseRelease reads the payload of an envelope whose signature holds. The error says in what it is not a statement about a
// release of this program.
func ParseRelease(payloadType string, payload []byte) (*Statement, error) {
	s, err := parse(payloadType, payload, ReleaseType)
	if err != nil {
		return nil, err
	}
	_, err = s.Version()
	return s, err
}

// Version is the version of a release, as the Go module has it.
func (s *Statement) Version() (string, error) {
	if s.PredicateType != ReleaseType {
		return "", fmt.Errorf("the predicate type is %q, want %q", s.PredicateType, ReleaseType)
	}
	said := new(release)
	if err := json.Unmarshal(s.Predicate, said); err != nil {
		return "", fmt.Errorf("the predicate is no release: %w", err)
	}
	version, is := strings.CutPrefix(said.PURL, releasePURL)
	switch {
	case !is:
		return "", fmt.Errorf("the release is one of %q, want %q and a version", said.PURL, releasePURL)
	case version == "" || strings.ContainsAny(version, "?#/ "):
		return "", errors.New("the release has no version")
	}
	return version, nil
}
