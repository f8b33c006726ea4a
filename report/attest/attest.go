// SPDX-License-Identifier: Apache-2.0

// Package attest signs reports and releases, and checks what was signed.
//
// What is signed is an in-toto Statement v1 (https://in-toto.io/Statement/v1) in a DSSE envelope, by an Ed25519 key that
// the user gives. Its subjects are files: the JSON report, and whatever was rendered from it.
//
// The predicate is the test result of in-toto (https://in-toto.io/attestation/test-result/v0.1), so that a policy engine
// that has never heard of this program can still tell a pass. Its three results cannot say that a test, or everything,
// was not measured, nor that a run was partial; therefore they are used so that a reader of them alone errs on the safe
// side. PASSED is a run that may call its target conformant and has no warning. WARNED is any other run with the verdict
// pass: partial, diagnostic, waived, blocked or warned. FAILED is every other verdict, also that of a run that measured
// nothing. What the three words leave out stands in one extension member, [RunExtension], under a name of its own as
// in-toto's parsing rules ask: the head of the report as it is, and which tests were not measured or waived. The
// predicate is computed from the report when it is signed, and again when it is verified; they have to agree.
//
// The envelope is read and written here rather than with go-securesystemslib/dsse: its verifier links the SSH protocol
// for a fingerprint, prints to standard output, takes line breaks inside base64 and refuses base64 without padding, and
// what would remain of it is a line of [preAuthEncoding].
package attest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// The types that a signed report carries.
const (
	PayloadType   = "application/vnd.in-toto+json"
	StatementType = "https://in-toto.io/Statement/v1"
	PredicateType = "https://in-toto.io/attestation/test-result/v0.1"
)

// RunExtension is the name of the member of the predicate that holds a [Run].
const RunExtension = "https://github.com/roctinam/agentic-sandbox-conformance/attestation/run/v1"

// A Statement is what is signed: files, and what is said of them.
type Statement struct {
	Type          string          `json:"_type"`
	Subject       []Subject       `json:"subject"`
	PredicateType string          `json:"predicateType"`
	Predicate     json.RawMessage `json:"predicate"`
}

// A Subject is a file that a statement is about.
type Subject struct {
	Name   string `json:"name"` // without folders
	Digest Digest `json:"digest"`
}

// Is says whether text is the content of the file that the subject names.
func (s Subject) Is(text []byte) bool {
	digest, err := DigestOf(bytes.NewReader(text))
	return err == nil && digest == s.Digest
}

// Digest is the digest of a file.
type Digest struct {
	SHA256 string `json:"sha256"` // in lower case hexadecimal
}

// MaxFile is the longest file that is digested, in bytes: no form of a report is longer than the longest JSON report.
const MaxFile = 512 << 20

// DigestOf digests a file of at most MaxFile bytes.
func DigestOf(r io.Reader) (Digest, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(r, MaxFile+1))
	if err != nil {
		return Digest{}, err
	}
	if n > MaxFile {
		return Digest{}, fmt.Errorf("longer than %d MiB, which no form of a report is", MaxFile>>20)
	}
	return Digest{hex.EncodeToString(sum.Sum(nil))}, nil
}

// State makes the statement about a JSON report, under the name of its file, and about further files. It refuses a report
// that does not follow from its own cases: nobody should sign what [Statement.Agrees] will refuse.
func State(name string, report []byte, others []Subject) (*Statement, error) {
	run, err := read(report)
	if err != nil {
		return nil, err
	}
	if err := follows(run); err != nil {
		return nil, err
	}
	p, err := predicateOf(name, run, report)
	if err != nil {
		return nil, err
	}
	digest, err := DigestOf(bytes.NewReader(report))
	if err != nil {
		return nil, err
	}
	s := &Statement{Type: StatementType, PredicateType: PredicateType, Subject: append([]Subject{{name, digest}}, others...)}
	if s.Predicate, err = json.Marshal(p); err != nil {
		return nil, err
	}
	return s, s.check()
}

// Sign puts the statement into an envelope with a signature: one line of JSON.
func (s *Statement) Sign(key ed25519.PrivateKey) ([]byte, error) {
	payload, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	return seal(PayloadType, payload, key)
}

// ParseStatement reads the payload of an envelope whose signature holds. The error says in what it is not a statement
// that this package makes.
func ParseStatement(payloadType string, payload []byte) (*Statement, error) {
	return parse(payloadType, payload, PredicateType)
}

// parse reads a statement with that predicate.
func parse(payloadType string, payload []byte, predicateType string) (*Statement, error) {
	if payloadType != PayloadType {
		return nil, fmt.Errorf("the payload type is %q, want %q", payloadType, PayloadType)
	}
	if err := report.Unambiguous(payload); err != nil {
		return nil, fmt.Errorf("the payload is no statement: %w", err)
	}
	s := new(Statement)
	if err := json.Unmarshal(payload, s); err != nil {
		return nil, fmt.Errorf("the payload is no statement: %w", err)
	}
	if s.Type != StatementType {
		return nil, fmt.Errorf("the statement type is %q, want %q", s.Type, StatementType)
	}
	if s.PredicateType != predicateType {
		return nil, fmt.Errorf("the predicate type is %q, want %q", s.PredicateType, predicateType)
	}
	return s, s.check()
}

// check refuses subjects that are not files beside each other, or that stand there twice.
func (s *Statement) check() error {
	if len(s.Subject) == 0 {
		return errors.New("the statement is about nothing: it has no subject")
	}
	seen := map[string]bool{}
	for i, subject := range s.Subject {
		switch sum, err := hex.DecodeString(subject.Digest.SHA256); {
		case !plainName(subject.Name):
			return fmt.Errorf("subject[%d].name is %q, want the name of a file without folders", i, subject.Name)
		case err != nil || len(sum) != sha256.Size || strings.ToLower(subject.Digest.SHA256) != subject.Digest.SHA256:
			return fmt.Errorf("subject[%d].digest.sha256 is %q, want 64 hexadecimal digits in lower case", i, subject.Digest.SHA256)
		case seen[subject.Name]:
			return fmt.Errorf("subject[%d].name is %q, which is the name of another subject too", i, subject.Name)
		}
		seen[subject.Name] = true
	}
	return nil
}

// plainName says whether a name leads to no other folder, on any system.
func plainName(name string) bool {
	return name != "" && name != "." && name != ".." && len(name) <= 255 && !strings.ContainsAny(name, "/\\:\x00")
}

// Report is the subject that is the JSON report.
func (s *Statement) Report() (Subject, error) {
	said, err := s.said()
	if err != nil {
		return Subject{}, err
	}
	for _, subject := range s.Subject {
		if subject.Name == said.Run.Report {
			return subject, nil
		}
	}
	return Subject{}, fmt.Errorf("the predicate names %q as the JSON report, which is no subject", said.Run.Report)
}

// Result is the result in in-toto's words: PASSED, WARNED or FAILED.
func (s *Statement) Result() string {
	said, err := s.said()
	if err != nil {
		return ""
	}
	return said.Result
}

func (s *Statement) said() (*predicate, error) {
	said := new(predicate)
	if err := json.Unmarshal(s.Predicate, said); err != nil {
		return nil, fmt.Errorf("the predicate is no test result: %w", err)
	}
	if said.Run == nil {
		return nil, fmt.Errorf("the predicate has no member %s; the test result was not written by this program", RunExtension)
	}
	return said, nil
}
