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
	"strings"
	"sync"
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
	jobs := flag.Int("jobs", 1, "`number` of servers that are played at once; more than one makes times longer")
	maxTime := flag.String("max-time", "", "`limit` of each run, instead of the usual one")
	keep := flag.String("keep", "", "`folder` in which the reports are kept")
	flag.Parse()
	if err := run(*only, *quick, *maxTime, *out, *keep, max(*jobs, 1), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gauntlet:", err)
		os.Exit(1)
	}
}

func run(only string, quick bool, maxTime, out, keep string, jobs int, args []string) error {
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
	if maxTime != "" {
		limit, err := time.ParseDuration(maxTime)
		if err != nil {
			return err
		}
		how.limit, how.most = limit, limit+how.most-how.limit
	}
	g, err := newGame(args[0], how, keep)
	if err != nil {
		return err
	}
	defer g.close()
	began := time.Now()
	rows := []row{g.play(peaceful)}
	say(rows[0])
	var servers []gauntlet.Server
	for _, server := range gauntlet.Servers() {
		if matches.MatchString(string(server.Place)+": "+server.Name) && (!quick || !server.Heavy) {
			servers = append(servers, server)
		}
	}
	rows = append(rows, make([]row, len(servers))...)
	slots := make(chan struct{}, jobs)
	var all sync.WaitGroup
	for i, server := range servers {
		slots <- struct{}{}
		all.Go(func() {
			rows[i+1] = g.play(server)
			say(rows[i+1])
			<-slots
		})
	}
	all.Wait()
	wrong := 0
	for _, r := range rows {
		wrong += len(r.complaints)
	}
	fmt.Printf("%d servers in %s, %d complaints\n", len(servers), time.Since(began).Round(time.Second), wrong)
	if out != "" {
		if err := os.WriteFile(out, []byte(page(rows, how, jobs)), 0o644); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d complaints", wrong)
	}
	return nil
}

// say prints a row as soon as it is there, in one piece.
func say(r row) {
	var b strings.Builder
	fmt.Fprintf(&b, "%-34s %-46s %-12s exit %-3d %3d passed  %4.0f MiB  %6s\n", r.server.Place, r.server.Name, r.verdict, r.code, r.passed, float64(r.memory)/1024, r.took.Round(100*time.Millisecond))
	for _, complaint := range r.complaints {
		fmt.Fprintf(&b, "    WRONG: %s\n", complaint)
	}
	fmt.Print(b.String())
}
