// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report/attest"
)

// sumsFile holds the SHA-256 of every other file, as sha256sum -c reads it.
const sumsFile = "SHA256SUMS"

// keyVariable is the environment variable with the text of the key.
const keyVariable = "AGENTIC_SANDBOX_CONFORMANCE_RELEASE_KEY"

// digests are the files of a folder, in the order of their names.
func digests(folder string) ([]attest.Subject, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var all []attest.Subject
	for _, e := range entries {
		digest, err := sum(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, attest.Subject{Name: e.Name(), Digest: attest.Digest{SHA256: digest}})
	}
	return all, nil
}

// writeSums writes the checksums of all files of a folder, and returns these.
func writeSums(folder string) ([]attest.Subject, error) {
	files, err := digests(folder)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s  %s\n", f.Digest.SHA256, f.Name)
	}
	return files, os.WriteFile(filepath.Join(folder, sumsFile), []byte(b.String()), 0o644)
}

// A key signs releases.
type key struct{ private ed25519.PrivateKey }

// signingKey is the key in a file or, without one, in the environment; nil if there is none. It is never an argument, which
// everybody on the machine could read.
func signingKey(path string) (*key, error) {
	var text []byte
	from := keyVariable
	if path != "" {
		from = "-key: " + path
		var err error
		if text, err = os.ReadFile(path); err != nil {
			return nil, fmt.Errorf("-key: %w", err)
		}
	} else if text = []byte(os.Getenv(keyVariable)); len(text) == 0 {
		return nil, nil
	}
	private, err := attest.ParsePrivateKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return &key{private}, nil
}

// sign signs a release twice with one key, and returns its fingerprint: the checksums as they are, which openssl alone can verify, and
// an in-toto statement about all files, which `verify --release` reads.
func (k *key) sign(version, folder string, files []attest.Subject) (string, error) {
	sums := filepath.Join(folder, sumsFile)
	text, err := os.ReadFile(sums)
	if err != nil {
		return "", err
	}
	digest, err := sum(sums)
	if err != nil {
		return "", err
	}
	statement, err := attest.StateRelease(version, append([]attest.Subject{{Name: sumsFile, Digest: attest.Digest{SHA256: digest}}}, files...))
	if err != nil {
		return "", err
	}
	envelope, err := statement.Sign(k.private)
	if err != nil {
		return "", err
	}
	return attest.KeyID(k.private.Public().(ed25519.PublicKey)), errors.Join(
		os.WriteFile(sums+".sig", ed25519.Sign(k.private, text), 0o644),
		os.WriteFile(sums+".intoto.json", envelope, 0o644))
}
