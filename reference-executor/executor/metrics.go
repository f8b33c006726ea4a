// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// metrics are what one executor counts.
type metrics struct {
	v1         counter // requests to the deprecated surface, by path
	hits       counter // by operation
	misses     counter
	collisions counter
	evictions  counter
	purged     counter
	tasks      counter
	outcomes   counter // by state
	latency    histogram
}

// A counter counts under one label, or under the empty one when its family has none.
type counter struct {
	mu     sync.Mutex
	counts map[string]float64
}

func (c *counter) add(label string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]float64{}
	}
	c.counts[label] += float64(n)
}

// read returns the counts; a counter without label always has one.
func (c *counter) read() map[string]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counts)
}

// A histogram sorts durations into buckets.
type histogram struct {
	mu     sync.Mutex
	counts [10]uint64 // one more than there are bounds
	sum    float64
}

var bounds = [9]float64{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10}

func (h *histogram) observe(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	i, _ := slices.BinarySearch(bounds[:], d.Seconds())
	h.counts[i]++
	h.sum += d.Seconds()
}

// A family is all samples of one metric.
type family struct {
	name, help, kind string
	samples          []sample
}

type sample struct {
	suffix      string // of the name: _bucket, _sum, _count
	label, says string // one label; none when empty
	value       float64
}

// families is everything the executor shows, in a fixed order.
func (e *Executor) families() []family {
	m := &e.metrics
	list := []family{
		labelled("aiwg_v1_path_requests_total", "Requests to deprecated v1 paths.", "counter", "path", m.v1.read()),
		labelled("aiwg_idempotency_hit_total", "Answers repeated from the idempotency cache.", "counter", "operation", m.hits.read()),
		single("aiwg_idempotency_misses_total", "Requests executed and remembered.", "counter", m.misses.read()[""]),
		single("aiwg_idempotency_collisions_total", "Message ids reused with another body.", "counter", m.collisions.read()[""]),
		single("aiwg_idempotency_evictions_total", "Remembered answers dropped for lack of room.", "counter", m.evictions.read()[""]),
		single("aiwg_idempotency_purged_expired_total", "Remembered answers dropped because of their age.", "counter", m.purged.read()[""]),
		single("agentic_uptime_seconds", "Time since the executor was started.", "gauge", time.Since(e.started).Seconds()),
		single("agentic_agents_connected", "Instances that take work.", "gauge", float64(e.ready())),
		single("agentic_tasks_total", "Tasks created.", "counter", m.tasks.read()[""]),
		labelled("agentic_tasks_by_state", "Tasks in each state.", "gauge", "state", e.tasksByState()),
		labelled("agentic_task_outcomes_total", "Tasks ended, by state.", "counter", "outcome", m.outcomes.read()),
		m.latency.family("agentic_command_latency_seconds", "Time until a request was answered."),
	}
	if e.secured() {
		list = append(list, single("agentic_operator_tokens_active", "Tokens that open something.", "gauge", float64(e.config.tokens())))
	}
	return list
}

func single(name, help, kind string, value float64) family {
	return family{name, help, kind, []sample{{value: value}}}
}

func labelled(name, help, kind, label string, values map[string]float64) family {
	f := family{name: name, help: help, kind: kind}
	for _, says := range slices.Sorted(maps.Keys(values)) {
		f.samples = append(f.samples, sample{label: label, says: says, value: values[says]})
	}
	return f
}

func (h *histogram) family(name, help string) family {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := family{name: name, help: help, kind: "histogram"}
	total := 0.0
	for i, n := range h.counts {
		total += float64(n)
		bound := math.Inf(1)
		if i < len(bounds) {
			bound = bounds[i]
		}
		f.samples = append(f.samples, sample{"_bucket", "le", floatText(bound), total})
	}
	f.samples = append(f.samples, sample{suffix: "_sum", value: h.sum}, sample{suffix: "_count", value: total})
	return f
}

func (e *Executor) tasksByState() map[string]float64 {
	counts, err := e.store.countTasks()
	if err != nil {
		e.log.Error("count tasks", "err", err)
	}
	values := map[string]float64{}
	for _, state := range states {
		values[state] = float64(counts[state])
	}
	return values
}

// tokens counts the configured tokens.
func (c Config) tokens() int {
	n := 0
	for _, t := range []string{c.Token, c.AdminToken, c.SecondToken, c.OperatorToken, c.ObserveToken, c.ForeignToken} {
		if t != "" {
			n++
		}
	}
	return n
}

// expose writes families in the text format 0.0.4.
func expose(families []family) []byte {
	var out strings.Builder
	for _, f := range families {
		fmt.Fprintf(&out, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		for _, s := range f.samples {
			out.WriteString(f.name + s.suffix + s.labels() + " " + floatText(s.value) + "\n")
		}
	}
	return []byte(out.String())
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func (s sample) labels() string {
	if s.label == "" {
		return ""
	}
	return "{" + s.label + `="` + labelEscapes.Replace(s.says) + `"}`
}

func floatText(f float64) string {
	if math.IsNaN(f) {
		return "NaN"
	}
	if math.IsInf(f, 1) {
		return "+Inf"
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
