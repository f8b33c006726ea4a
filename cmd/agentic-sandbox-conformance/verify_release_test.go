// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"path/filepath"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report/attest"
)

// A release is verified as a release only, a report as a report only, and one of which no file is there is not verified.
func TestVerifyRelease(t *testing.T) {
	t.Parallel()
	key := ed25519.NewKeyFromSeed([]byte("the seed of a key for tests only"))
	digest, err := attest.DigestOf(strings.NewReader("the archive"))
	if err != nil {
		t.Fatal(err)
	}
	release, err := attest.StateRelease("v1.2.3", []attest.Subject{{Name: "program.tar.gz", Digest: digest}, {Name: "program.deb", Digest: digest}})
	if err != nil {
		t.Fatal(err)
	}
	_, text := savedReport(t, "../../report/testdata/common-causes.json")
	reported, err := attest.State("r.json", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		statement *attest.Statement
		by        ed25519.PrivateKey
		flags     []string
		files     map[string]string
		code      int
		says      []string // on either stream
	}{
		"one file is there": {statement: release, flags: []string{"--release"}, files: map[string]string{"program.tar.gz": "the archive"}, code: exitPass, says: []string{
			"holds   statement: in-toto Statement v1, release v1.2.3 of agentic-sandbox-conformance", "holds   program.tar.gz: is as it was signed", "absent  program.deb", "This shows"}},
		"a changed file":             {statement: release, flags: []string{"--release"}, files: map[string]string{"program.tar.gz": "another"}, code: exitFail, says: []string{"BROKEN  program.tar.gz: is not as it was signed"}},
		"no file is there":           {statement: release, flags: []string{"--release"}, code: exitUsage, says: []string{"none of the 2 files of the release is given or next to the envelope"}},
		"another key":                {statement: release, by: ed25519.NewKeyFromSeed([]byte("the seed of one more key, not it")), flags: []string{"--release"}, files: map[string]string{"program.tar.gz": "the archive"}, code: exitFail, says: []string{"BROKEN  signature"}},
		"a release without the flag": {statement: release, files: map[string]string{"program.tar.gz": "the archive"}, code: exitFail, says: []string{"BROKEN  statement: this is a signed release and no report; verify --release checks it"}},
		"a report with the flag":     {statement: reported, flags: []string{"--release"}, files: map[string]string{"r.json": text}, code: exitFail, says: []string{"BROKEN  statement: this is a signed report and no release; verify without --release checks it"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if row.by == nil {
				row.by = key
			}
			sealed, err := row.statement.Sign(row.by)
			if err != nil {
				t.Fatal(err)
			}
			public, err := x509.MarshalPKIXPublicKey(key.Public())
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			writeFile(t, filepath.Join(folder, "envelope"), string(sealed))
			writeFile(t, filepath.Join(folder, "public.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})))
			for name, text := range row.files {
				writeFile(t, filepath.Join(folder, name), text)
			}
			code, stdout, stderr := said(append([]string{"verify", filepath.Join(folder, "envelope"), "--key", filepath.Join(folder, "public.pem")}, row.flags...)...)
			if code != row.code {
				t.Errorf("verify ends with %d, want %d:\n%s%s", code, row.code, stdout, stderr)
			}
			for _, want := range row.says {
				if !strings.Contains(stdout+stderr, want) {
					t.Errorf("verify does not say %q:\n%s%s", want, stdout, stderr)
				}
			}
			if code != exitPass && strings.Contains(stdout, "This shows") {
				t.Errorf("verify says that it shows something:\n%s", stdout)
			}
		})
	}
}
