// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// others compares the program with another runner, on the largest number of tests.
func (b *bench) others(n int) error {
	if b.k6 == "" {
		fmt.Fprint(b.out, "\n### Beside other runners\n\nNot measured: no other runner was named (`-k6 PATH`, or `make bench k6=PATH`).\n")
		return nil
	}
	version, err := exec.Command(b.k6, "version").Output()
	if err != nil {
		return fmt.Errorf("%s version: %w", b.k6, err)
	}
	script := filepath.Join(b.dir, "bench.js")
	if err := os.WriteFile(script, []byte(fmt.Sprintf(k6Script, b.url)), 0o644); err != nil {
		return err
	}
	suite := filepath.Join(b.dir, fmt.Sprintf("suite-%d", n))
	var ours, theirs []time.Duration
	var ratios []float64
	var memory int64
	for i := range b.runs + 1 {
		command := exec.Command(b.program, "--executor-url", b.url, "--suite-dir", suite, "--run", "BENCH-*", "-q",
			"--report-format", "markdown,junit,json", "--report-out", filepath.Join(b.dir, "report.md"))
		own, _, err := timed(command)
		if err != nil {
			return err
		}
		summary := filepath.Join(b.dir, "k6.json")
		other := exec.Command(b.k6, "run", "--quiet", "--no-usage-report", "--vus", "16", "--iterations", fmt.Sprint(n), "--summary-export", summary, script)
		took, peak, err := timed(other)
		if err != nil {
			return fmt.Errorf("k6: %w", err)
		}
		if err := allChecked(summary, n); err != nil {
			return fmt.Errorf("k6: %w", err)
		}
		if i == 0 {
			continue
		}
		ours, theirs, ratios, memory = append(ours, own), append(theirs, took), append(ratios, float64(own)/float64(took)), max(memory, peak)
	}
	fmt.Fprintf(b.out, "\n### Beside other runners\n\nThe same %d cases with the same checks, 16 at once.\n\n| Runner | Time | Peak memory | The program to it |\n|---|---:|---:|---:|\n| %s | %s | %.0f MiB | %.2f |\n| the program, in turns with it | %s | | |\n",
		n, strings.Fields(string(version))[0]+" "+strings.Fields(string(version))[1], round(median(theirs)), float64(memory)/1024, median(ratios), round(median(ours)))
	return nil
}

// allChecked keeps the comparison honest: every check of every case held.
func allChecked(path string, n int) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var summary struct {
		Metrics struct {
			Checks struct{ Passes, Fails int } `json:"checks"`
		} `json:"metrics"`
	}
	if err := json.Unmarshal(text, &summary); err != nil {
		return err
	}
	if c := summary.Metrics.Checks; c.Fails > 0 || c.Passes != checksOfCase*n {
		return fmt.Errorf("%d checks held and %d did not, of %d", c.Passes, c.Fails, checksOfCase*n)
	}
	return nil
}

// checksOfCase is how many checks a case has.
const checksOfCase = 8

// k6Script is the case of writeSuite as k6 has it; its first verb is the URL of the instance.
const k6Script = `import http from 'k6/http';
import { check, sleep } from 'k6';

const base = '%s';
const headers = { 'Content-Type': 'application/json', Accept: 'application/json' };

export default function () {
  const card = http.get(base + '/.well-known/agent-card.json', { headers });
  const shown = card.json();
  check(card, {
    'status is 200': (r) => r.status === 200,
    'is JSON': (r) => r.headers['Content-Type'].startsWith('application/json'),
    'has a name': () => typeof shown.name === 'string',
    'does not stream': () => shown.capabilities.streaming === false,
    'has one interface': () => shown.supportedInterfaces.length === 1,
    'echoes': () => shown.skills[0].id === 'echo',
  });
  const message = { messageId: crypto.randomUUID(), role: 'user', parts: [{ kind: 'text', text: 'hello' }] };
  const sent = http.post(base + '/v1/messages:send', JSON.stringify({ message, configuration: { blocking: false } }), { headers });
  check(sent, { 'is accepted': (r) => r.status === 202 });
  const id = sent.json('id');
  let state = '';
  for (let i = 0; i < 500 && state !== 'completed'; i++) {
    if (i > 0) sleep(0.01);
    state = http.get(base + '/v1/tasks/' + id, { headers }).json('status.state');
  }
  check(state, { 'has completed': (s) => s === 'completed' });
}
`
