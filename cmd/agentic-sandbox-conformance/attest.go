// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/attest"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
)

func (a *app) attestCommand() *cobra.Command {
	var key, out string
	c := &cobra.Command{
		Use:   "attest REPORT.json [FILE...]",
		Short: "Sign a report (in-toto statement, DSSE envelope)",
		Long: `Sign a JSON report, and with it other files such as its Markdown and JUnit forms: an in-toto statement with a test
result, in a DSSE envelope, signed with your Ed25519 key. To make a key pair:

  openssl genpkey -algorithm ed25519 -out key.pem
  openssl pkey -in key.pem -pubout -out public.pem

A report with any verdict can be signed. A report whose counts or verdict do not follow from its cases is refused, and so is
a file that is not, byte for byte, what render writes for the report.`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("which report? %s REPORT.json --key key.pem", c.CommandPath())
			}
			return nil
		},
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&key, "key", "", "PEM `file` with the private key: Ed25519, PKCS #8")
	f.StringVar(&out, "out", "", "`file` for the envelope; - is standard output (default: REPORT.intoto.json)")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if key == "" {
			return usage("which key? --key names the PEM file; `openssl genpkey -algorithm ed25519 -out key.pem` makes one")
		}
		private, err := a.signingKey(key)
		if err != nil {
			return err
		}
		if out == "" {
			out = strings.TrimSuffix(args[0], ".json") + ".intoto.json"
		}
		for _, path := range args {
			if same(path, out) || same(path, key) {
				return usage("%s is both signed and written or used as the key", console.Shown(path))
			}
		}
		return a.attest(args, private, out)
	}
	return c
}

// attest signs the files, of which the first is the JSON report.
func (a *app) attest(files []string, key ed25519.PrivateKey, out string) error {
	text, err := readReport(files[0])
	if err != nil {
		return err
	}
	run, err := report.ReadJSON(bytes.NewReader(text))
	if err != nil {
		return usage("%s: %w", console.Shown(files[0]), err)
	}
	var others []attest.Subject
	for _, path := range files[1:] {
		digest, err := rendered(run, filepath.Base(path), path)
		if err != nil {
			return usage("%s is not signed: it %w; `render %s` writes it again", console.Shown(path), err, console.Shown(files[0]))
		}
		others = append(others, attest.Subject{Name: filepath.Base(path), Digest: digest})
	}
	statement, err := attest.State(filepath.Base(files[0]), text, others)
	if err != nil {
		return usage("%s is not signed: %w", console.Shown(files[0]), err)
	}
	if err := report.Followed(run, text); err != nil {
		return usage("%s is not signed: it is not what this version of the program writes for its cases: %w; `render --report-format json` writes it again", console.Shown(files[0]), err)
	}
	envelope, err := statement.Sign(key)
	if err != nil {
		return usage("%s is not signed: %w", console.Shown(files[0]), err)
	}
	if out == "-" {
		_, err = a.stdout.Write(envelope)
	} else {
		err = os.WriteFile(out, envelope, 0o644)
	}
	if err != nil {
		return usage("--out: %w", err)
	}
	id := attest.KeyID(key.Public().(ed25519.PublicKey))
	fmt.Fprintf(a.stderr, "signed: %s\nkey: %s\nthe report says: %s\n", subjectNames(statement), id, report.OneLine(run))
	if out != "-" {
		fmt.Fprintf(a.stderr, "envelope: %s\n", console.Shown(out))
	}
	return nil
}

// rendered is the digest of a file, which was signed or is to be signed under a name, if it is what the report looks like in that
// format. The file is read once: what is compared is what the digest is of.
func rendered(run *report.Run, name, path string) (attest.Digest, error) {
	file, err := os.Open(path)
	if err != nil {
		return attest.Digest{}, fmt.Errorf("cannot be read: %w", err)
	}
	defer file.Close()
	sum := sha256.New()
	if err := formats.NotRendered(run, name, io.TeeReader(file, sum)); err != nil {
		return attest.Digest{}, err
	}
	return attest.Digest{SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

func subjectNames(s *attest.Statement) string {
	var names []string
	for _, subject := range s.Subject {
		names = append(names, console.Shown(subject.Name))
	}
	return strings.Join(names, ", ")
}

// maxKey is the largest key file that is read.
const maxKey = 64 << 10

// signingKey reads the private key, and warns when others can read it too.
func (a *app) signingKey(path string) (ed25519.PrivateKey, error) {
	text, err := readBounded(path, maxKey)
	if err != nil {
		return nil, usage("--key: %w", err)
	}
	key, err := attest.ParsePrivateKey(text)
	if err != nil {
		return nil, usage("--key: %s: %w", console.Shown(path), err)
	}
	info, err := os.Stat(path)
	if err == nil && runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		fmt.Fprintf(a.stderr, "warning: %s can be read by others on this machine, who can then sign in your name; chmod 600 %s\n", console.Shown(path), console.Shown(path))
	}
	return key, nil
}

func readReport(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, usage("read report: %w", err)
	}
	defer file.Close()
	text, err := report.ReadText(file)
	if err != nil {
		return nil, usage("%s: %w", console.Shown(path), err)
	}
	return text, nil
}

// readBounded reads a file of the user that is no longer than most bytes.
func readBounded(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(text)) > most {
		return nil, fmt.Errorf("%s is longer than %d bytes", console.Shown(path), most)
	}
	return text, nil
}

func digestOf(path string) (attest.Digest, error) {
	file, err := os.Open(path)
	if err != nil {
		return attest.Digest{}, usage("%w", err)
	}
	defer file.Close()
	digest, err := attest.DigestOf(file)
	if err != nil {
		return attest.Digest{}, usage("read %s: %w", console.Shown(path), err)
	}
	return digest, nil
}

// same says whether two paths lead to one file, or would.
func same(one, other string) bool {
	if filepath.Clean(one) == filepath.Clean(other) {
		return true
	}
	a, err := os.Stat(one)
	if err != nil {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}
