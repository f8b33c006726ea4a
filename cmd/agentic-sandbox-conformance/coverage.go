// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/roctinam/agentic-sandbox-conformance/assertions/spelling"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/catalog"
	"github.com/roctinam/agentic-sandbox-conformance/suites/coverage"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

//go:generate go run . coverage --out ../../docs/requirements.md
//go:generate go run . coverage --profile a2a-1.0 --out ../../docs/requirements-a2a-1.0.md
//go:generate go run . coverage --profile sac --out ../../docs/requirements-sac.md
//go:generate go run . coverage --profile openhands-v1 --out ../../docs/requirements-openhands-v1.md

// coverageFormats are the written forms of coverage.
var coverageFormats = []string{"markdown", "json"}

func (a *app) coverageCommand() *cobra.Command {
	var name, format, out string
	c := &cobra.Command{
		Use:   "coverage",
		Short: "Show which requirements of a profile are tested, and by what",
		Long: `Compare the contract's catalog of requirements with the bundled suites, requirement by requirement: whether it is
tested, when it is judged, what it needs to be configured, and which faults of the reference executor its test catches.`,
		Args: noArguments,
	}
	c.Flags().StringVar(&name, "profile", defaultProfile, "`name` of the profile")
	c.Flags().StringVar(&format, "format", "markdown", "`form` to write: markdown or json")
	c.Flags().StringVar(&out, "out", "-", "`file` to write to; - is standard output")
	c.RunE = func(*cobra.Command, []string) error {
		profile, err := catalogued(name)
		if err != nil {
			return err
		}
		text, err := writtenCoverage(profile, format)
		if err != nil {
			return err
		}
		if out == "-" {
			_, err = a.stdout.Write(text)
			return err
		}
		if err := os.WriteFile(out, text, 0o644); err != nil {
			return usage("--out: %w", err)
		}
		return nil
	}
	return c
}

// catalogued is the profile of that name. One whose catalog is there before its suites has none of them.
func catalogued(name string) (*suites.Profile, error) {
	if !slices.Contains(suites.Profiles(), name) && slices.Contains(catalog.Profiles(), name) {
		nothing := sha256.Sum256(nil)
		return &suites.Profile{Name: name, Row: profiles.Of(name), Digest: hex.EncodeToString(nothing[:])}, nil
	}
	return loadProfile(name)
}

func writtenCoverage(profile *suites.Profile, format string) ([]byte, error) {
	c, err := coverage.Of(profile)
	if err != nil {
		return nil, bug(err)
	}
	switch format {
	case "markdown":
		return c.Markdown(program), nil
	case "json":
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(c); err != nil {
			return nil, bug(err)
		}
		return b.Bytes(), nil
	}
	return nil, usage("--format is %q, want markdown or json%s", format, spelling.DidYouMean(format, coverageFormats))
}
