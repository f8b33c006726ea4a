// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/peak"
)

// A bench is the measuring of one program.
type bench struct {
	program string // absolute paths
	self    string
	k6      string // another runner; empty: it is not compared with
	dir     string // for suites and reports
	url     string // the instant server's instance
	runs    int
	out     io.Writer // Markdown
	aims    []aim
}

// measure plays everything and writes it as Markdown: the aims with what was measured, and then how.
func measure(program, k6 string, runs int, cases []int, demos bool, out io.Writer) error {
	b := &bench{k6: k6, runs: runs}
	var err error
	if b.program, err = filepath.Abs(program); err != nil {
		return err
	}
	if b.self, err = os.Executable(); err != nil {
		return err
	}
	if b.dir, err = os.MkdirTemp("", "bench-*"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	url, stop, err := startServer(b.self)
	if err != nil {
		return err
	}
	defer stop()
	b.url = url
	var text strings.Builder
	b.out = io.MultiWriter(&text, os.Stderr) // whoever waits sees how far it is
	if err := b.loops(cases); err != nil {
		return err
	}
	if err := b.start(); err != nil {
		return err
	}
	if demos {
		if err := b.demos(); err != nil {
			return err
		}
	}
	if err := b.others(slices.Max(cases)); err != nil {
		return err
	}
	version, err := exec.Command(b.program, "version").Output()
	if err != nil {
		return fmt.Errorf("version: %w", err)
	}
	fmt.Fprintf(out, "Measured on %s by `make bench` of %s: %s/%s, %d processors, %s; medians of %d runs after one warm-up.\n\n%s\n%s",
		time.Now().UTC().Format("2006-01-02"), strings.TrimSpace(string(version)), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), runs, aimed(b.aims), text.String())
	return nil
}

// loops compares the program with a bare loop, for every number of tests.
func (b *bench) loops(cases []int) error {
	fmt.Fprint(b.out, "### Beside a bare loop\n\nThe program plays tests of three steps (GET the card with six checks, POST a message, poll the task until it has completed), with evidence of "+
		"failures and three reports, against a server in another process that answers at once. The bare loop sends the same requests one after the other and decodes the same bodies, judges nothing and keeps nothing.\n\n"+
		"| Tests | Bare loop | The program | Ratio (median, min-max) | Peak memory |\n|---:|---:|---:|---:|---:|\n")
	for _, n := range cases {
		if err := b.row(n); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) row(n int) error {
	suite := filepath.Join(b.dir, fmt.Sprintf("suite-%d", n))
	if err := writeSuite(suite, n); err != nil {
		return err
	}
	var bare, harness []time.Duration
	var ratios []float64
	var peak int64
	for i := range b.runs + 1 {
		loop, _, err := timed(exec.Command(b.self, "-role", "loop", "-url", b.url, "-count", strconv.Itoa(n)))
		if err != nil {
			return fmt.Errorf("bare loop: %w", err)
		}
		command := exec.Command(b.program, "--executor-url", b.url, "--suite-dir", suite, "--run", "BENCH-*", "-q",
			"--report-format", "markdown,junit,json", "--report-out", filepath.Join(b.dir, "report.md"))
		played, memory, err := timed(command)
		if err != nil {
			return fmt.Errorf("harness, %d tests: %w", n, err)
		}
		if err := allPassed(filepath.Join(b.dir, "report.json"), n); err != nil {
			return err
		}
		if i == 0 {
			continue
		}
		bare, harness = append(bare, loop), append(harness, played)
		ratios = append(ratios, float64(played)/float64(loop))
		peak = max(peak, memory)
	}
	slices.Sort(ratios)
	fmt.Fprintf(b.out, "| %d | %s | %s | %.2f (%.2f-%.2f) | %.0f MiB |\n", n, round(median(bare)), round(median(harness)),
		median(ratios), ratios[0], ratios[len(ratios)-1], float64(peak)/1024)
	switch n {
	case 200:
		b.aims = append(b.aims, aim{"200 tests, to a bare loop", 1.2, median(ratios), "x"})
	case 2000:
		b.aims = append(b.aims, aim{"2,000 tests, to a bare loop", 0.9, median(ratios), "x"},
			aim{"peak memory of 2,000 tests", 64, float64(peak) / 1024, " MiB"})
	}
	return nil
}

// start measures how long one bundled test takes to begin.
func (b *bench) start() error {
	s, err := starts(b.program, b.dir, 3*b.runs)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\n### The start\n\nOf one bundled test (`--run %s`): the target gets the first request of the first look at it after %s, the first of the test itself after %s; the program has ended after %s.\n",
		oneTest, round(s.looked), round(s.asked), round(s.ended))
	b.aims = append(b.aims, aim{"from the start to the first request of one bundled test", 15, float64(s.asked) / float64(time.Millisecond), " ms"})
	return nil
}

// median is the one in the middle.
func median[T int64 | float64 | time.Duration](all []T) T {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// timed runs a command and returns its wall time and its peak memory in KiB; 0: not known.
func timed(c *exec.Cmd) (time.Duration, int64, error) {
	var said bytes.Buffer
	if c.Stdout == nil {
		c.Stdout = &said
	}
	if c.Stderr == nil {
		c.Stderr = &said
	}
	begin := time.Now()
	err := c.Run()
	took := time.Since(begin)
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, strings.TrimSpace(said.String()))
	}
	return took, peak.Memory(c.ProcessState), nil
}

// allPassed keeps the comparison honest: every test was played, and passed.
func allPassed(path string, n int) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var report struct {
		Summary map[string]int `json:"summary"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return err
	}
	if report.Summary["pass"] != n {
		return fmt.Errorf("%d of %d tests passed: %v", report.Summary["pass"], n, report.Summary)
	}
	return nil
}

func startServer(self string) (url string, stop func(), err error) {
	server := exec.Command(self, "-role", "server")
	server.Stderr = os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := server.Start(); err != nil {
		return "", nil, err
	}
	stop = func() { server.Process.Kill(); server.Wait() }
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the server did not start: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}
