// SPDX-License-Identifier: Apache-2.0

package attest

import (
	"strings"
	"testing"
)

var archive = Subject{"program.tar.gz", Digest{strings.Repeat("ab", 32)}}

// TestSignedRelease: a release is read as what was signed, and never as a report.
func TestSignedRelease(t *testing.T) {
	t.Parallel()
	statement, err := StateRelease("v1.2.3", []Subject{archive})
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := statement.Sign(testKey)
	if err != nil {
		t.Fatal(err)
	}
	envelope, err := ParseEnvelope(sealed)
	if err != nil {
		t.Fatal(err)
	}
	payload, err := envelope.Verify(public(testKey))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"program.tar.gz","digest":{"sha256":"` +
		`abababababababababababababababababababababababababababababababab"}}],"predicateType":"https://in-toto.io/attestation/release/v0.1",` +
		`"predicate":{"purl":"pkg:golang/github.com/roctinam/agentic-sandbox-conformance@v1.2.3"}}`
	if string(payload) != want {
		t.Errorf("the statement is %s\nwant %s", payload, want)
	}
	read, err := ParseRelease(envelope.PayloadType, payload)
	if err != nil {
		t.Fatal(err)
	}
	if version, err := read.Version(); version != "v1.2.3" || err != nil {
		t.Errorf("the version is %q, %v", version, err)
	}
	if _, err := ParseStatement(envelope.PayloadType, payload); err == nil || !strings.Contains(err.Error(), "predicate type") {
		t.Errorf("a release is taken for a report: %v", err)
	}
}

// TestNoRelease: what is signed and is no release of this program.
func TestNoRelease(t *testing.T) {
	t.Parallel()
	report, err := State("conformance.report.json", fixture(t, "all-passed.json"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := report.Version(); err == nil || !strings.Contains(err.Error(), "predicate type") {
		t.Errorf("a report has the version of a release: %v", err)
	}
	statement := func(purl string) string {
		return `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"a","digest":{"sha256":"` + strings.Repeat("ab", 32) +
			`"}}],"predicateType":"https://in-toto.io/attestation/release/v0.1","predicate":{"purl":"` + purl + `"}}`
	}
	for payload, want := range map[string]string{
		statement("pkg:golang/example.com/other@v1.2.3"):                             "the release is one of",
		statement("pkg:golang/github.com/roctinam/agentic-sandbox-conformance@"):     "no version",
		statement("pkg:golang/github.com/roctinam/agentic-sandbox-conformance@v1?x"): "no version",
		strings.Replace(statement(releasePURL+"v1"), `"a"`, `"../a"`, 1):             "without folders",
		`{}`: "statement type",
	} {
		if _, err := ParseRelease(PayloadType, []byte(payload)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", payload, err, want)
		}
	}
	for _, version := range []string{"", "v1 2"} {
		if _, err := StateRelease(version, []Subject{archive}); err == nil {
			t.Errorf("version %q is signed", version)
		}
	}
	if _, err := StateRelease("v1.2.3", nil); err == nil {
		t.Error("a release without files is signed")
	}
}
