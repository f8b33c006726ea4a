// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/attest"
	"github.com/roctinam/agentic-sandbox-conformance/report/formats"
)

// Who holds a key can sign anything. A file that does not say what the JSON report says is not verified, whoever signed it.
func TestASignedLieIsNotVerified(t *testing.T) {
	t.Parallel()
	key := ed25519.NewKeyFromSeed([]byte("the seed of a key for tests only"))
	saved, err := os.ReadFile("../../report/attest/testdata/every-outcome.json")
	if err != nil {
		t.Fatal(err)
	}
	replaced := func(old, by string) func(string) string {
		return func(text string) string { return strings.Replace(text, old, by, 1) }
	}
	for name, row := range map[string]struct {
		file    string
		version string // of the program that made the report; empty: this one
		change  func(text string) string
		want    string
	}{
		"as it was rendered":                     {file: "r.md", change: func(text string) string { return text }, want: "holds   r.md: says what the JSON report says"},
		"a Markdown that says PASS":              {file: "r.md", change: replaced("FAIL", "PASS"), want: `BROKEN  r.md: does not follow from the JSON report: line 1 is "# `},
		"an HTML with a sentence more":           {file: "r.html", change: func(text string) string { return text + "<p>PASS" }, want: "BROKEN  r.html: does not follow from the JSON report: line"},
		"a JUnit without a failure":              {file: "r.junit.xml", change: replaced("<failure", "<system-out"), want: "BROKEN  r.junit.xml: does not follow"},
		"a file that is no form of a report":     {file: "r.log", change: func(string) string { return "PASS" }, want: "BROKEN  r.log: is no form of a report"},
		"a file that another version has worded": {file: "r.md", version: "v0.0.1", change: replaced("#", "##"), want: "the report is of version v0.0.1 of the program and this is version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run, err := report.ReadJSON(bytes.NewReader(saved))
			if err != nil {
				t.Fatal(err)
			}
			if run.Tool.Version = tool().Version; row.version != "" {
				run.Tool.Version = row.version
			}
			var text bytes.Buffer
			if err := report.WriteJSON(&text, run.Settled()); err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			rendered := row.change(renderedAs(t, run, row.file))
			writeFile(t, filepath.Join(folder, "r.json"), text.String())
			writeFile(t, filepath.Join(folder, row.file), rendered)
			digest, err := attest.DigestOf(strings.NewReader(rendered))
			if err != nil {
				t.Fatal(err)
			}
			statement, err := attest.State("r.json", text.Bytes(), []attest.Subject{{Name: row.file, Digest: digest}})
			if err != nil {
				t.Fatal(err)
			}
			sealed, err := statement.Sign(key)
			if err != nil {
				t.Fatal(err)
			}
			envelope, err := attest.ParseEnvelope(sealed)
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			v := &verification{app: &app{stdout: &out}, folder: folder}
			err = v.verify(envelope, key.Public().(ed25519.PublicKey))
			said := strings.ReplaceAll(out.String(), folder+string(filepath.Separator), "")
			if !strings.Contains(said, row.want) || (err == nil) != strings.HasPrefix(row.want, "holds") {
				t.Errorf("verify: %v, and said\n%s\nwant %q", err, said, row.want)
			}
		})
	}
}

// savedReport is a report of the test data as this program would have written it, and its JSON.
func savedReport(t *testing.T, path string) (*report.Run, string) {
	t.Helper()
	saved, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	run, err := report.ReadJSON(bytes.NewReader(saved))
	if err != nil {
		t.Fatal(err)
	}
	run.Tool.Version = tool().Version
	var text bytes.Buffer
	if err := report.WriteJSON(&text, run.Settled()); err != nil {
		t.Fatal(err)
	}
	return run, text.String()
}

// What a report says of causes is computed from its cases. One that was changed is neither signed nor verified.
func TestASignedCauseIsNotMadeUp(t *testing.T) {
	t.Parallel()
	_, text := savedReport(t, "../../report/testdata/common-causes.json")
	folder := t.TempDir()
	writeKeys(t, filepath.Join(folder, "key.pem"), filepath.Join(folder, "public.pem"))
	key := ed25519.NewKeyFromSeed([]byte("the seed of a key for tests only"))
	for name, row := range map[string]struct {
		change func(string) string
		signed bool
	}{
		"as it was":            {func(text string) string { return text }, true},
		"with something added": {func(text string) string { return strings.Replace(text, "{", `{"pipeline": 7,`, 1) }, true},
		"other causes": {func(text string) string {
			return strings.Replace(text, `"says": "`, `"says": "nothing to worry about: `, 1)
		}, false},
		"no causes": {func(text string) string { return strings.Replace(text, `"causes"`, `"causes_"`, 1) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := filepath.Join(t.TempDir(), "r.json")
			writeFile(t, at, row.change(text))
			if code, _, stderr := said("attest", at, "--key", filepath.Join(folder, "key.pem")); (code == exitPass) != row.signed {
				t.Errorf("attest ends with %d: %s", code, stderr)
			}
			statement, err := attest.State("r.json", []byte(row.change(text)), nil)
			if err != nil {
				t.Fatal(err)
			}
			sealed, err := statement.Sign(key)
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, at+".sealed", string(sealed))
			if code, stdout, stderr := said("verify", at+".sealed", "--key", filepath.Join(folder, "public.pem")); (code == exitPass) != row.signed {
				t.Errorf("verify ends with %d: %s%s", code, stdout, stderr)
			}
		})
	}
}

// renderedAs is a report in the format that the name of a file stands for; "" when that is none.
func renderedAs(t *testing.T, run *report.Run, name string) string {
	t.Helper()
	for _, f := range formats.Formats {
		for _, extension := range f.Extensions {
			if strings.HasSuffix(name, extension) {
				var b bytes.Buffer
				if err := f.Write(&b, run.Settled()); err != nil {
					t.Fatal(err)
				}
				return b.String()
			}
		}
	}
	return ""
}

// What is signed is what was compared: a file that says one thing when it is read first and another afterwards, as a pipe may, is
// read once.
func TestAFileThatChangesWhileItIsSigned(t *testing.T) {
	t.Parallel()
	run, text := savedReport(t, "../../report/attest/testdata/every-outcome.json")
	folder := t.TempDir()
	at, key, pipe := filepath.Join(folder, "r.json"), filepath.Join(folder, "key.pem"), filepath.Join(folder, "r.md")
	writeFile(t, at, text)
	writeKeys(t, key, filepath.Join(folder, "public.pem"))
	if err := pipeAt(pipe); runtime.GOOS == "windows" {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	right := renderedAs(t, run, "r.md")
	go func() {
		for _, says := range []string{strings.Replace(right, "FAIL", "PASS", 1), right} {
			file, err := os.OpenFile(pipe, os.O_WRONLY, 0)
			if err != nil {
				return
			}
			_, _ = file.WriteString(says)
			file.Close()
		}
	}()
	code, _, stderr := said("attest", at, pipe, "--key", key)
	if left, err := os.OpenFile(pipe, os.O_RDWR, 0); err == nil { // for whom nobody reads the rest
		defer left.Close()
	}
	if code != exitUsage || !strings.Contains(stderr, "does not follow from the JSON report") {
		t.Errorf("attest ends with %d: %s", code, stderr)
	}
}
