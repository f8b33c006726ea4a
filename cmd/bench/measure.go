// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
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

// measure plays every number of tests, runs times, and prints medians.
func measure(program string, runs int, cases []int) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	url, stop, err := startServer(self)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Printf("%s/%s, %d processors, %s; medians of %d pairs after one warm-up, server in its own process\n\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), runs)
	fmt.Println("| tests | bare loop | harness, 3 reports | ratio (median, min-max) | peak memory |")
	fmt.Println("|---:|---:|---:|---:|---:|")
	for _, n := range cases {
		if err := row(program, self, url, dir, n, runs); err != nil {
			return err
		}
	}
	return bundled(program, dir)
}

func row(program, self, url, dir string, n, runs int) error {
	suite := filepath.Join(dir, fmt.Sprintf("suite-%d", n))
	if err := writeSuite(suite, n); err != nil {
		return err
	}
	var bare, harness []time.Duration
	var ratios []float64
	var peak int64
	for i := range runs + 1 {
		loop, _, err := timed(exec.Command(self, "-role", "loop", "-url", url, "-count", strconv.Itoa(n)))
		if err != nil {
			return fmt.Errorf("bare loop: %w", err)
		}
		command := exec.Command(program, "--executor-url", url, "--suite-dir", suite, "--run", "BENCH-*", "-q",
			"--report-format", "markdown,junit,json", "--report-out", filepath.Join(dir, "report.md"))
		played, memory, err := timed(command)
		if err != nil {
			return fmt.Errorf("harness, %d tests: %w", n, err)
		}
		if err := allPassed(filepath.Join(dir, "report.json"), n); err != nil {
			return err
		}
		if i == 0 {
			continue
		}
		bare, harness = append(bare, loop), append(harness, played)
		ratios = append(ratios, float64(played)/float64(loop))
		peak = max(peak, memory)
	}
	slices.Sort(bare)
	slices.Sort(harness)
	slices.Sort(ratios)
	fmt.Printf("| %d | %s | %s | %.2f (%.2f-%.2f) | %.0f MiB |\n", n, round(bare[len(bare)/2]), round(harness[len(harness)/2]),
		ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1], float64(peak)/1024)
	return nil
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// timed runs a command and returns its wall time and its peak memory in KiB; 0: not known.
func timed(c *exec.Cmd) (time.Duration, int64, error) {
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
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
