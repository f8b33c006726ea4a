// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/ed25519"
	"fmt"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/console"
	"github.com/roctinam/agentic-sandbox-conformance/report/attest"
)

// verifyRelease checks the envelope of a release, and those of its files that are there.
func (v *verification) verifyRelease(envelope *attest.Envelope, key ed25519.PublicKey) error {
	payload, err := v.signed(envelope, key)
	if err != nil {
		return err
	}
	statement, err := attest.ParseRelease(envelope.PayloadType, payload)
	if err != nil {
		if _, other := attest.ParseStatement(envelope.PayloadType, payload); other == nil {
			err = fmt.Errorf("this is a signed report and no release; verify without --release checks it: %w", err)
		}
		v.breaks("statement", "%v", err)
		return &exit{code: exitFail}
	}
	version, err := statement.Version()
	if err != nil {
		return bug(err)
	}
	v.holds("statement", "in-toto Statement v1, release %s of %s", console.Shown(version), program)
	paths, err := v.files(statement, attest.Subject{})
	switch {
	case err != nil:
		return err
	case v.broken > 0:
		return &exit{code: exitFail}
	case len(paths) == 0:
		return usage("none of the %d files of the release is given or next to the envelope, so that nothing was checked", len(statement.Subject))
	}
	fmt.Fprint(v.stdout, `
This shows that who held the private key signed exactly these files as that version. It does not show who that was or when, or
anything about files that are absent.
`)
	return nil
}
