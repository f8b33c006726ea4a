// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// loadProfile loads one bundled profile, and nothing else: the others cost start-up time for nothing.
func loadProfile(name string) (*suites.Profile, error) { return loadSelected(name, nil) }

// loadSelected loads one bundled profile, and of suites without a test that is wanted only which tests they hold; wanted
// may be nil, and then all are.
func loadSelected(name string, wanted func(id, name string) bool) (*suites.Profile, error) {
	if err := knownProfile(name); err != nil {
		return nil, err
	}
	profile, err := suites.LoadSelected(suites.Embedded(), name, wanted)
	if err != nil {
		return nil, bug(err)
	}
	return profile, nil
}

func knownProfile(name string) error {
	if known := suites.Profiles(); !slices.Contains(known, name) {
		return usage("there is no profile %s%s; there is %s", unknownWord(name), spelling.DidYouMean(name, known), strings.Join(known, ", "))
	}
	return nil
}

// addOwn appends the suites of a folder to the profile, whose shared steps they can use.
func addOwn(profile *suites.Profile, dir string) error {
	own, err := suites.LoadFiles([]string{dir}, profile)
	if err != nil {
		return usage("--suite-dir: %w", err)
	}
	profile.Suites, profile.Roots = append(profile.Suites, own.Suites...), append(profile.Roots, own.Roots...)
	both := sha256.Sum256([]byte(profile.Digest + own.Digest))
	profile.Digest = hex.EncodeToString(both[:])
	return nil
}

// sharedProfiles are profiles with the operator's own suites, each read once for all targets that are played with it. A nil one reads them
// for whoever asks.
type sharedProfiles struct {
	mu   sync.Mutex
	read map[string]*suites.Profile
}

// of is the profile that the settings name, with what is wanted of it.
func (p *sharedProfiles) of(s *settings, wanted func(id, name string) bool) (*suites.Profile, error) {
	if p == nil {
		return s.loadWithOwn(wanted)
	}
	key := append([]string{s.profile}, s.suiteDir...)
	if wanted != nil {
		key = append(append(key, ""), s.run...)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	name := strings.Join(key, "\x00")
	if read := p.read[name]; read != nil {
		return read, nil
	}
	read, err := s.loadWithOwn(wanted)
	if err == nil {
		p.read[name] = read
	}
	return read, err
}

// loadWithOwn reads the profile and the suites of --suite-dir.
func (s *settings) loadWithOwn(wanted func(id, name string) bool) (*suites.Profile, error) {
	profile, err := loadSelected(s.profile, wanted)
	if err != nil {
		return nil, err
	}
	for _, dir := range s.suiteDir {
		if err := addOwn(profile, dir); err != nil {
			return nil, err
		}
	}
	return profile, nil
}
