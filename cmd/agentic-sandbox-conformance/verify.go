// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/attest"
)

func (a *app) verifyCommand() *cobra.Command {
	var key string
	var release bool
	c := &cobra.Command{
		Use:   "verify ENVELOPE [FILE...]",
		Short: "Check a signed report: the signature, the files, and that the verdict follows from the cases",
		Long: `Check an envelope that attest wrote: that the key signed it, that the files are the ones that were signed, that the
counts and the verdict of the report follow from its own cases, and that every other file is what render writes for the
report. Name the files, or verify finds them next to the envelope under the names that were signed. The JSON report has to be
among them.

With --release the envelope is that of a release of this program (SHA256SUMS.intoto.json): the key signed it, and the files
are the ones that were signed.

Exit codes:
  0 everything that was checked holds   1 something does not   2 the input cannot be used`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("which envelope? %s ENVELOPE --key public.pem [FILE...]", c.CommandPath())
			}
			return nil
		},
	}
	c.Flags().StringVar(&key, "key", "", "PEM `file` with the public key: Ed25519")
	c.Flags().BoolVar(&release, "release", false, "the envelope is that of a release of this program, not that of a report")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if key == "" {
			return usage("whose signature? --key names the PEM file with the public key, which you have from a place that you trust")
		}
		text, err := readBounded(key, maxKey)
		if err != nil {
			return usage("--key: %w", err)
		}
		public, err := attest.ParsePublicKey(text)
		if err != nil {
			return usage("--key: %s: %w", console.Shown(key), err)
		}
		if text, err = readBounded(args[0], attest.MaxEnvelope); err != nil {
			return usage("read envelope: %w", err)
		}
		envelope, err := attest.ParseEnvelope(text)
		if err != nil {
			return usage("%s: %w", console.Shown(args[0]), err)
		}
		v := &verification{app: a, folder: filepath.Dir(args[0]), given: args[1:]}
		if release {
			return v.verifyRelease(envelope, public)
		}
		return v.verify(envelope, public)
	}
	return c
}

// A verification checks an envelope and says so, line by line, on standard output.
type verification struct {
	*app
	folder string   // in which files are looked for that were not given
	given  []string // paths
	broken int
}

// signed is what an envelope holds, if the key has signed it. Nothing of what was not signed is looked at.
func (v *verification) signed(envelope *attest.Envelope, key ed25519.PublicKey) ([]byte, error) {
	id := attest.KeyID(key)
	payload, err := envelope.Verify(key)
	if err != nil {
		v.breaks("signature", "%v; the key is %s", err, id)
		return nil, &exit{code: exitFail}
	}
	v.holds("signature", "Ed25519, by the key with the fingerprint %s", id)
	return payload, nil
}

func (v *verification) verify(envelope *attest.Envelope, key ed25519.PublicKey) error {
	payload, err := v.signed(envelope, key)
	if err != nil {
		return err
	}
	statement, err := attest.ParseStatement(envelope.PayloadType, payload)
	if err != nil {
		if _, other := attest.ParseRelease(envelope.PayloadType, payload); other == nil {
			err = fmt.Errorf("this is a signed release and no report; verify --release checks it: %w", err)
		}
		v.breaks("statement", "%v", err)
		return &exit{code: exitFail}
	}
	subject, err := statement.Report()
	if err != nil {
		v.breaks("statement", "%v", err)
		return &exit{code: exitFail}
	}
	v.holds("statement", "in-toto Statement v1 with a test result, %s", console.Shown(statement.Result()))
	paths, err := v.files(statement, subject)
	if err != nil {
		return err
	}
	if paths[subject.Name] != "" {
		if err := v.report(statement, subject, paths); err != nil {
			return err
		}
	}
	if v.broken > 0 {
		return &exit{code: exitFail}
	}
	fmt.Fprint(v.stdout, proves)
	return nil
}

// proves is said below what holds, so that nobody takes it for more.
const proves = `
This shows that who held the private key signed exactly these bytes, that the counts and the verdict of the report
follow from its own cases, and that the other files say what it says.
It does not show who that was or when, that the run took place as it is written, that it names every test there is, that
the target was what its address says, that it still is as it was then, or anything about tests that were not measured.
`

// files checks the digests of the subjects: of the files that were given, and of those beside the envelope. It returns the
// path of each subject that is there, under the name of the subject.
func (v *verification) files(s *attest.Statement, wanted attest.Subject) (map[string]string, error) {
	seen := map[string]string{}
	for _, given := range v.given {
		digest, err := digestOf(given)
		if err != nil {
			return nil, err
		}
		// What a file is called is for its owner to say: it is told by its digest first.
		at := slices.IndexFunc(s.Subject, func(one attest.Subject) bool { return one.Digest == digest && seen[one.Name] == "" })
		if at < 0 {
			at = slices.IndexFunc(s.Subject, func(one attest.Subject) bool { return one.Name == filepath.Base(given) })
		}
		switch {
		case at < 0:
			v.breaks(given, "is not one of the signed files: %s", subjectNames(s))
			continue
		case s.Subject[at].Digest != digest:
			v.breaks(given, "is not as it was signed: its SHA-256 is %s, signed is %s", digest.SHA256, s.Subject[at].Digest.SHA256)
		default:
			v.holds(given, "is as it was signed, SHA-256 %s", digest.SHA256)
		}
		seen[s.Subject[at].Name] = given
	}
	for _, subject := range s.Subject {
		if seen[subject.Name] != "" {
			continue
		}
		beside := filepath.Join(v.folder, subject.Name)
		info, err := os.Stat(beside)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			if subject.Name == wanted.Name {
				return nil, usage("the JSON report %s is neither given nor next to the envelope", console.Shown(subject.Name))
			}
			fmt.Fprintf(v.stdout, "absent  %s: was signed too, but is not here, and was not checked\n", console.Shown(subject.Name))
			continue
		}
		digest, err := digestOf(beside)
		if err != nil {
			return nil, err
		}
		seen[subject.Name] = beside
		if digest != subject.Digest {
			v.breaks(subject.Name, "is not as it was signed: its SHA-256 is %s, signed is %s", digest.SHA256, subject.Digest.SHA256)
		} else {
			v.holds(subject.Name, "is as it was signed, SHA-256 %s", digest.SHA256)
		}
	}
	return seen, nil
}

// report checks that the report follows from its cases and is what the statement says, and that the other files follow from
// the report.
func (v *verification) report(s *attest.Statement, subject attest.Subject, paths map[string]string) error {
	text, err := readReport(paths[subject.Name])
	if err != nil {
		return err
	}
	if !subject.Is(text) {
		return nil // said already
	}
	run, err := s.Agrees(text)
	if err != nil {
		v.breaks("verdict", "%v", err)
		return nil
	}
	if run.Tool.Version == tool().Version { // another one may compute causes otherwise
		if err := report.Followed(run, text); err != nil {
			v.breaks(paths[subject.Name], "is not what the program writes of its cases: %v", err)
			return nil
		}
	}
	v.holds("verdict", "the counts and the verdict follow from the %d cases, and the statement says the same", len(run.Results))
	for _, other := range s.Subject {
		path := paths[other.Name]
		if other.Name == subject.Name || path == "" {
			continue
		}
		switch digest, err := rendered(run, other.Name, path); {
		case err == nil && digest != other.Digest:
			v.breaks(path, "was another when its digest was compared")
		case err == nil:
			v.holds(path, "says what the JSON report says")
		case run.Tool.Version != tool().Version:
			v.breaks(path, "%v; the report is of version %s of the program and this is version %s, which may word it otherwise: verify with that version, or leave this file out and render it from the JSON report",
				err, run.Tool.Version, tool().Version)
		default:
			v.breaks(path, "%v", err)
		}
	}
	fmt.Fprintf(v.stdout, "\nThe report says: %s\n", report.OneLine(run))
	return nil
}

func (v *verification) holds(what, format string, args ...any) {
	fmt.Fprintf(v.stdout, "holds   %s: %s\n", console.Shown(what), fmt.Sprintf(format, args...))
}

func (v *verification) breaks(what, format string, args ...any) {
	v.broken++
	fmt.Fprintf(v.stdout, "BROKEN  %s: %s\n", console.Shown(what), console.Shown(fmt.Sprintf(format, args...)))
}
