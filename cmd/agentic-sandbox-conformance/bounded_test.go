// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A file that never ends is refused, wherever a user can name one.
func TestFilesThatNeverEnd(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the files that never end are /dev/zero and /dev/urandom, which Windows does not have")
	}
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	names := strings.NewReplacer("REPORT", in("all-passed.json"), "ENVELOPE", in("signed.json"), "KEY", in("key.pem"), "PUBLIC", in("public.pem"), "OUT", in("out.json"),
		"ZERO", in("zero"), "FOLDER", in("endless"), "PIPES", in("pipes"))
	report, err := os.ReadFile("../../report/attest/testdata/all-passed.json")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, in("all-passed.json"), string(report))
	writeKeys(t, in("key.pem"), in("public.pem"))
	for _, err := range []error{os.Symlink("/dev/zero", in("zero.md")), os.Mkdir(in("endless"), 0o755), os.Symlink("/dev/zero", in("endless/a.yaml")),
		os.Mkdir(in("pipes"), 0o755), pipeAt(in("pipes/a.yaml"))} {
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(line string) (int, string) {
		var stdout, stderr bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: &stdout, stderr: &stderr, now: time.Now, env: func(string) (string, bool) { return "", false }}
		return a.execute(strings.Fields(names.Replace(line))), stderr.String()
	}
	if code, said := run("attest REPORT --key KEY --out ENVELOPE"); code != exitPass {
		t.Fatalf("exit code %d: %s", code, said)
	}
	for _, line := range []string{
		"lint /dev/zero", "render /dev/zero", "diff /dev/zero /dev/zero", "attest /dev/zero --key /dev/zero", "verify /dev/zero --key /dev/zero",
		"run --executor-url http://127.0.0.1:1 --cert /dev/zero --key /dev/zero", "run --executor-url http://127.0.0.1:1 --cert /dev/urandom --key /dev/urandom",
		"lint /dev/urandom", "render /dev/urandom", "run --executor-url http://127.0.0.1:1 --cacert /dev/zero",
		"run --executor-url http://127.0.0.1:1 --config /dev/zero", "run --executor-url http://127.0.0.1:1 --baseline /dev/zero",
		"run --executor-url http://127.0.0.1:1 --skip-budget /dev/zero", "run --executor-url http://127.0.0.1:1 --suite-dir /dev/zero",
		"run --executor-url http://127.0.0.1:1 --token-file /dev/zero", "run --executor-url http://127.0.0.1:1 --admin-token-file /dev/urandom",
		"attest REPORT /dev/zero --key KEY --out OUT", "attest REPORT ZERO.md --key KEY --out OUT", "verify ENVELOPE /dev/zero --key PUBLIC",
		"verify ENVELOPE ZERO.md --key PUBLIC", "verify ENVELOPE --key /dev/zero", "lint FOLDER", "explain OWN-001 --suite-dir FOLDER",
		"run --targets /dev/zero", "run --targets /dev/urandom", "merge FOLDER", "run --executor-url http://127.0.0.1:1 --suite-dir FOLDER", "lint PIPES", "self-test --update /dev/zero", "run --executor-url http://127.0.0.1:1 --suite-dir PIPES",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			if code, said := run(line); code != exitUsage {
				t.Errorf("exit code %d, want %d: %s", code, exitUsage, said)
			}
		})
	}
}

// writeKeys writes a pair of keys for tests only.
func writeKeys(t *testing.T, private, public string) {
	t.Helper()
	key := ed25519.NewKeyFromSeed([]byte("the seed of a key for tests only"))
	for path, half := range map[string]struct {
		kind string
		der  func() ([]byte, error)
	}{
		private: {"PRIVATE KEY", func() ([]byte, error) { return x509.MarshalPKCS8PrivateKey(key) }},
		public:  {"PUBLIC KEY", func() ([]byte, error) { return x509.MarshalPKIXPublicKey(key.Public()) }},
	} {
		der, err := half.der()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: half.kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// unbounded reads a whole file or stream, however long it is.
var unbounded = regexp.MustCompile(`\bos\.ReadFile\(|\bio\.Copy\([^,]*, (r|file|in)\)|\btls\.LoadX509KeyPair\(|\bio\.ReadAll\(([^i]|i[^o]|io\.[^L])`)

// What is read has a bound, in every package that reads what users or targets give.
func TestEverythingIsReadWithABound(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{".", "../../suites", "../../report", "../../assertions", "../../schemas"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for i, line := range strings.Split(string(text), "\n") {
				if unbounded.MatchString(line) {
					t.Errorf("%s:%d reads without a bound: %s", path, i+1, strings.TrimSpace(line))
				}
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
