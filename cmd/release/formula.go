// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"text/template"
)

//go:embed formula.rb.tmpl
var formulaText string

var formulaTemplate = template.Must(template.New("formula").Option("missingkey=error").Parse(formulaText))

// formula writes the Homebrew formula: what it downloads are the archives of this release, with their digests.
func (s *source) formula(to, downloads string, sums map[string]string) error {
	type archive struct{ System, Processor, URL, SHA256 string }
	var all []archive
	for _, t := range targets {
		system, is := map[string]string{"darwin": "macos", "linux": "linux"}[t.os]
		if !is {
			continue
		}
		name := s.archiveName(t)
		if sums[name] == "" {
			return fmt.Errorf("the formula needs %s, which is not there", name)
		}
		all = append(all, archive{system, map[string]string{"amd64": "intel", "arm64": "arm"}[t.arch], downloads + "/" + s.version + "/" + name, sums[name]})
	}
	var b bytes.Buffer
	err := formulaTemplate.Execute(&b, map[string]any{
		"Description": description, "Homepage": homepage, "Version": s.number(), "License": license, "Program": programName, "Archives": all,
	})
	if err != nil {
		return err
	}
	return os.WriteFile(to, b.Bytes(), 0o644)
}
