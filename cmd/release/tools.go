// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// The tools that know the rules of a format. They are run as modules of that version.
const (
	billTool    = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"
	packageTool = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.1" // the last that every module proxy serves whole
)

// tool runs a tool in a folder.
func (s *source) tool(ctx context.Context, folder, tool string, args ...string) error {
	c := exec.CommandContext(ctx, "go", append([]string{"run", "-trimpath", tool}, args...)...)
	c.Dir = folder
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "SOURCE_DATE_EPOCH="+fmt.Sprint(s.time.Unix()))
	_, err := output(c)
	return err
}

// bill writes the software bill of materials of a program: a CycloneDX document with the modules that the program says that it is
// made of, and the version of Go.
func (s *source) bill(ctx context.Context, t target, program, to string) error {
	return s.tool(ctx, s.tree, billTool, "bin", "-json", "-std", "-noserial", "-notimestamp", "-version", s.version, "-output", to, program)
}
