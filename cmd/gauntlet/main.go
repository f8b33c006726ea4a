// SPDX-License-Identifier: Apache-2.0

// Command gauntlet plays the built program against every server of package gauntlet, each as a process of its own, and
// looks at all that comes out: does the run end in time, with a verdict that was measured, in bounded memory, with
// reports that are well-formed and hold neither a secret nor anything that acts.
//
//	go run ./cmd/gauntlet [-run REGEXP] [-quick] [-out docs/robustness.md] path/to/agentic-sandbox-conformance
//
// A run against the same executor without anything hostile in between comes first: what did not pass there must not pass
// when a hostile server stands in between either.
package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/fixtures/gauntlet"
)

func main() {
	if measures() {
		return
	}
	only := flag.String("run", ".", "play only servers whose place and name match this `regexp`")
	quick := flag.Bool("quick", false, "leave out the heavy ones, and play few tests with short limits")
	out := flag.String("out", "", "`file` for the table (default: standard output only)")
	keep := flag.String("keep", "", "`folder` in which the reports are kept")
	flag.Parse()
	if err := run(*only, *quick, *out, *keep, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gauntlet:", err)
		os.Exit(1)
	}
}

func run(only string, quick bool, out, keep string, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("name the built program: go run ./cmd/gauntlet bin/agentic-sandbox-conformance")
	}
	matches, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	how := thorough
	if quick {
		how = hasty
	}
	g, err := newGame(args[0], how, keep)
	if err != nil {
		return err
	}
	defer g.close()
	var rows []row
	wrong := 0
	began := time.Now()
	for _, server := range append([]gauntlet.Server{peaceful}, gauntlet.Servers()...) {
		if server.Name != peaceful.Name && (!matches.MatchString(string(server.Place)+": "+server.Name) || quick && server.Heavy) {
			continue
		}
		r := g.play(server)
		rows = append(rows, r)
		fmt.Printf("%-34s %-46s %-12s exit %-3d %3d passed  %4.0f MiB  %6s\n", server.Place, server.Name, r.verdict, r.code, r.passed, float64(r.memory)/1024, r.took.Round(100*time.Millisecond))
		for _, complaint := range r.complaints {
			wrong++
			fmt.Printf("    WRONG: %s\n", complaint)
		}
	}
	fmt.Printf("%d servers in %s, %d complaints\n", len(rows)-1, time.Since(began).Round(time.Second), wrong)
	if out != "" {
		if err := os.WriteFile(out, []byte(page(rows, how)), 0o644); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d complaints", wrong)
	}
	return nil
}
