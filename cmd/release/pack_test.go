// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report/attest"
)

// testKey is the same in every run, and its PEM text.
var testKey = ed25519.NewKeyFromSeed([]byte("the seed of a key for tests only"))

func pemOf(t *testing.T) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(testKey)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// TestArchivesAreTheSame: an archive depends on what is in it and on the time of the commit, and not on when or where the files were
// written.
func TestArchivesAreTheSame(t *testing.T) {
	t.Parallel()
	s := here(t)
	for _, system := range []target{{os: "linux", arch: "amd64"}, {os: "windows", arch: "arm64"}} {
		var first []byte
		for i := range 2 {
			folder := t.TempDir()
			d := &documents{}
			for _, name := range []string{programName + ".1", programName + ".bash"} {
				path := filepath.Join(folder, name)
				at := time.Unix(int64(1000*i), 0)
				if err := os.WriteFile(path, []byte(name), os.FileMode(0o600+i*0o44)); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(path, at, at); err != nil {
					t.Fatal(err)
				}
			}
			d.manuals, d.completions = []string{filepath.Join(folder, programName+".1")}, []string{filepath.Join(folder, programName+".bash")}
			to := filepath.Join(folder, s.archiveName(system))
			if err := s.archive(to, system, filepath.Join(folder, programName+".1"), d); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(to)
			if err != nil {
				t.Fatal(err)
			}
			if i > 0 && !bytes.Equal(text, first) {
				t.Errorf("%s: the second archive differs from the first", filepath.Base(to))
			}
			first = text
		}
	}
}

// TestSigned: the checksums are signed by the key of a file or of the environment, and hold for openssl and for verify.
func TestSigned(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.tar.gz"), []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	files, err := writeSums(folder)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(folder, sumsFile))
	const want = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  a.tar.gz\n"
	if err != nil || string(sums) != want {
		t.Errorf("the checksums are %q, want %q (%v)", sums, want, err)
	}
	t.Setenv(keyVariable, pemOf(t))
	k, err := signingKey("")
	if err != nil || k == nil {
		t.Fatal(k, err)
	}
	if _, err := k.sign("v1.2.3", folder, files); err != nil {
		t.Fatal(err)
	}
	public := testKey.Public().(ed25519.PublicKey)
	signature, err := os.ReadFile(filepath.Join(folder, sumsFile+".sig"))
	if err != nil || !ed25519.Verify(public, sums, signature) {
		t.Errorf("the signature does not hold (%v)", err)
	}
	sealed, err := os.ReadFile(filepath.Join(folder, sumsFile+".intoto.json"))
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := attest.ParseEnvelope(sealed)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := envelope.Verify(public)
	if err != nil {
		t.Fatal(err)
	}
	statement, err := attest.ParseRelease(envelope.PayloadType, payload)
	if err != nil {
		t.Fatal(err)
	}
	if len(statement.Subject) != 2 || statement.Subject[0].Name != sumsFile || !statement.Subject[0].Is(sums) || statement.Subject[1].Name != "a.tar.gz" {
		t.Errorf("the statement is about %v", statement.Subject)
	}
}

// TestKeys: no key is no mistake, a wrong one is, and nothing of it is repeated.
func TestKeys(t *testing.T) {
	t.Setenv(keyVariable, "")
	if k, err := signingKey(""); k != nil || err != nil {
		t.Errorf("without a key: %v, %v", k, err)
	}
	file := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(file, []byte(pemOf(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	if k, err := signingKey(file); k == nil || err != nil {
		t.Errorf("from a file: %v, %v", k, err)
	}
	t.Setenv(keyVariable, "c2VjcmV0")
	if _, err := signingKey(""); err == nil || !strings.Contains(err.Error(), keyVariable+": there is no PEM block") || strings.Contains(err.Error(), "c2VjcmV0") {
		t.Errorf("no key in the environment: %v", err)
	}
	if _, err := signingKey(file + ".nosuch"); err == nil || !strings.Contains(err.Error(), "-key: ") {
		t.Errorf("no such file: %v", err)
	}
}

// TestFormula: the formula names each archive of macOS and Linux with its digest, and asks for all of them.
func TestFormula(t *testing.T) {
	t.Parallel()
	s := here(t)
	sums := map[string]string{}
	for i, system := range targets {
		sums[s.archiveName(system)] = strings.Repeat(string(rune('a'+i)), 64)
	}
	to := filepath.Join(t.TempDir(), "formula.rb")
	if err := s.formula(to, "https://example.com/downloads", sums); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"class AgenticSandboxConformance < Formula\n", "  version \"1.2.3\"\n",
		"  on_macos do\n    on_arm do\n      url \"https://example.com/downloads/v1.2.3/agentic-sandbox-conformance_1.2.3_darwin_arm64.tar.gz\"\n      sha256 \"" + strings.Repeat("d", 64) + "\"\n    end\n  end\n",
		"  on_linux do\n    on_intel do\n      url \"https://example.com/downloads/v1.2.3/agentic-sandbox-conformance_1.2.3_linux_amd64.tar.gz\"\n      sha256 \"" + strings.Repeat("a", 64) + "\"\n    end\n  end\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the formula does not have\n%s\nbut is\n%s", want, text)
		}
	}
	if opened, closed := len(regexp.MustCompile(`(?m) do$|^class |^  def `).FindAll(text, -1)), len(regexp.MustCompile(`(?m)^ *end$`).FindAll(text, -1)); opened != closed {
		t.Errorf("%d blocks are opened and %d closed", opened, closed)
	}
	delete(sums, s.archiveName(targets[3]))
	if err := s.formula(to, "https://example.com/downloads", sums); err == nil || !strings.Contains(err.Error(), "darwin_arm64.tar.gz, which is not there") {
		t.Errorf("an archive is missing: %v", err)
	}
}

// TestEmptied: only what a release has written is removed.
func TestEmptied(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "dist")
	if err := emptied(folder); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{programName + "_1.2.3_linux_amd64.tar.gz", sumsFile, sumsFile + ".sig"} {
		if err := os.WriteFile(filepath.Join(folder, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := emptied(folder); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	if err := os.WriteFile(filepath.Join(folder, "thesis.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := emptied(folder); err == nil || !strings.Contains(err.Error(), "thesis.txt, which no release has written") {
		t.Errorf("a folder with another file: %v", err)
	}
}

func TestWrongOptions(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		again string
		args  []string
		want  string
	}{
		{"host", []string{"v1.2.3"}, `unexpected argument "v1.2.3"`},
		{"some", nil, `-again is "some", want host, all or none`},
	} {
		o := options{again: row.again}
		if err := o.check(row.args); err == nil || err.Error() != row.want {
			t.Errorf("%+v: %v", row, err)
		}
	}
	if !slices.Contains(targets, target{"linux", "amd64", "amd64"}) {
		t.Error("nothing is released for Linux")
	}
}
