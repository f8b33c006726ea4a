// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/peak"
)

// A demoRun is the bundled suites of a profile, played against its bundled server.
type demoRun struct {
	title     string
	arguments []string
	aim       func(d demoFigures) aim
}

// demoFigures are what came of one.
type demoFigures struct {
	took    time.Duration
	waited  time.Duration // the longest wait that the contract imposes on one test
	waiter  string
	memory  float64 // MiB
	summary map[string]int
	table   string // where the time went, as -v shows it
}

var demoRuns = []demoRun{
	{"`demo`", nil, func(d demoFigures) aim {
		return aim{"demo, to the longest wait that the contract imposes", 1.3, d.took.Seconds() / d.waited.Seconds(), "x"}
	}},
	{"`demo --profile a2a-1.0`", []string{"--profile", "a2a-1.0"}, func(d demoFigures) aim {
		return aim{"demo of a2a-1.0, to the longest wait that the contract imposes", 1.3, d.took.Seconds() / d.waited.Seconds(), "x"}
	}},
	{"`demo --far 300ms`: every answer comes 300 ms later", []string{"--far", "300ms"}, func(d demoFigures) aim {
		return aim{"demo with 300 ms added to each answer", 45, d.took.Seconds(), " s"}
	}},
}

// demos plays the bundled suites, once each: nearly all that they do is waiting, which no other program makes longer.
func (b *bench) demos() error {
	fmt.Fprint(b.out, "\n### Where the time of a run goes\n\nThe bundled suites against the bundled servers. Tests that are played side by side wait at the same time, so that only the first column of a table adds up.\n")
	for _, run := range demoRuns {
		d, err := b.demo(run.arguments)
		if err != nil {
			return fmt.Errorf("demo %s: %w", strings.Join(run.arguments, " "), err)
		}
		fmt.Fprintf(b.out, "\n%s: %.1f s, %d passed, %d failed, %d skipped, %d blocked; the longest wait that the contract imposes on one test is %.1f s (%s); peak memory %.0f MiB.\n\n```text\n%s\n```\n",
			run.title, d.took.Seconds(), d.summary["pass"], d.summary["fail"], d.summary["skip"], d.summary["blocked"], d.waited.Seconds(), d.waiter, d.memory, d.table)
		b.aims = append(b.aims, run.aim(d))
		if run.arguments == nil {
			b.aims = append(b.aims, aim{"peak memory of the demo", 64, d.memory, " MiB"})
		}
	}
	return nil
}

// demo plays one. That requirements fail is no mistake of the bench: the figures say so.
func (b *bench) demo(arguments []string) (demoFigures, error) {
	command := exec.Command(b.program, append([]string{"demo", "-v"}, arguments...)...)
	command.Dir = b.dir
	var said bytes.Buffer
	command.Stderr = &said
	began := time.Now()
	_, memory, err := timed(command)
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) && (ended.ExitCode() == 1 || ended.ExitCode() == 5) {
		memory, err = peak.Memory(command.ProcessState), nil
	}
	if err != nil {
		return demoFigures{}, fmt.Errorf("%w: %s", err, lastLine(said.String()))
	}
	d := demoFigures{took: time.Since(began), memory: float64(memory) / 1024, table: spentTable(said.String())}
	text, err := os.ReadFile(filepath.Join(b.dir, "demo-report", "conformance.report.json"))
	if err != nil {
		return d, err
	}
	var report struct {
		Summary map[string]int `json:"summary"`
		Results []struct {
			ID     string `json:"id"`
			WaitMS int64  `json:"waitMs"`
		} `json:"results"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return d, err
	}
	d.summary = report.Summary
	for _, r := range report.Results {
		if wait := time.Duration(r.WaitMS) * time.Millisecond; wait > d.waited {
			d.waited, d.waiter = wait, r.ID
		}
	}
	if d.waited == 0 || d.table == "" {
		return d, fmt.Errorf("no test waited, or -v showed no table: %s", lastLine(said.String()))
	}
	return d, nil
}

// spentTable is the table in what -v says.
func spentTable(said string) string {
	_, from, is := strings.Cut("\n"+said, "\nwhere the time went ")
	if !is {
		return ""
	}
	head, rest, _ := strings.Cut(from, "\n")
	table := "where the time went " + head
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "  ") {
			break
		}
		table += "\n" + strings.TrimRight(line, "\n")
	}
	return table
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
