// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// bundled plays the bundled suites and names the longest wait that the contract imposes on one of their tests.
func bundled(program, dir string) error {
	command := exec.Command(program, "demo", "-q")
	command.Dir = dir
	took, memory, err := timed(command)
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "demo-report", "conformance.report.json"))
	if err != nil {
		return err
	}
	var report struct {
		Summary map[string]int `json:"summary"`
		Results []struct {
			ID     string `json:"id"`
			WaitMS int64  `json:"waitMs"`
		} `json:"results"`
	}
	if err := json.Unmarshal(text, &report); err != nil {
		return err
	}
	longest, id := int64(0), ""
	for _, r := range report.Results {
		if r.WaitMS > longest {
			longest, id = r.WaitMS, r.ID
		}
	}
	fmt.Printf("\nBundled suites on the bundled executor (demo): %s wall for %v; longest wait that the contract imposes on one test: %s (%s); peak memory %.0f MiB.\n",
		round(took), report.Summary, time.Duration(longest)*time.Millisecond, id, float64(memory)/1024)
	return nil
}
