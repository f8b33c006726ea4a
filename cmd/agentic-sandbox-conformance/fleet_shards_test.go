// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"

	"github.com/roctinam/agentic-sandbox-conformance/cmd/internal/fleet"
	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/overview"
)

// A kubernetesFile is as much of a manifest of docs/kubernetes as the test plays.
type kubernetesFile struct {
	Data       map[string]string `yaml:"data"`
	StringData map[string]string `yaml:"stringData"`
	Spec       struct {
		Completions int `yaml:"completions"`
		Template    struct {
			Spec struct {
				Containers []struct {
					Args []string `yaml:"args"`
				} `yaml:"containers"`
			} `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

func readKubernetes(t *testing.T, name string) kubernetesFile {
	t.Helper()
	text, err := os.ReadFile("../../docs/kubernetes/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var file kubernetesFile
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

// The Indexed Job of docs/kubernetes, played as its pods would be: a process for each index, with the arguments, the list and the tokens
// of the manifests. One of them is killed while it plays, and its index is played again; then the shards are merged. Nothing but what
// says who has played what differs from one process that plays the whole list.
func TestTheFlowOfTheIndexedJob(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	list, tokens := readKubernetes(t, "config-map.yaml").Data["targets.yaml"], readKubernetes(t, "secret.yaml").StringData
	_, urls := fleetOf(t, 4, map[int][]string{1: {"card-as-plain-text"}, 3: {"card-as-plain-text"}})
	for i, name := range []string{"eu-west", "us-east", "ap-south", "staging"} {
		address := "https://" + name + ".sandbox.example/"
		if !strings.Contains(list, address) {
			t.Fatalf("the list has no %s", address)
		}
		list = strings.Replace(list, address, urls[i], 1)
		instance, admin := fleetTokens(i)
		prefix := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		for variable := range tokens {
			switch variable {
			case prefix + "_TOKEN":
				tokens[variable] = instance
			case prefix + "_ADMIN_TOKEN":
				tokens[variable] = admin
			}
		}
	}
	targets := filepath.Join(folder, "targets.yaml")
	writeFile(t, targets, list)
	out := filepath.Join(folder, "reports")
	command := func(index string, args []string, more ...string) (*exec.Cmd, *bytes.Buffer) {
		args = slices.Clone(args)
		for i := range args {
			args[i] = strings.NewReplacer("/etc/conformance/targets.yaml", targets, "/reports", out).Replace(args[i])
		}
		c := fleetCommand(t, 0, append(args, more...)...)
		for name, value := range tokens {
			c.Env = append(c.Env, name+"="+value)
		}
		if index != "" {
			c.Env = append(c.Env, fleet.IndexVariable+"="+index)
		}
		var said bytes.Buffer
		c.Stderr = &said
		return c, &said
	}
	job := readKubernetes(t, "job.yaml")
	container := job.Spec.Template.Spec.Containers[0]
	selection := []string{"--run", "CARD-0*,TASK-00*", "--seed", "1"}

	// All indexes at once. The first is killed as soon as it has measured something, or has begun to.
	var pods []*exec.Cmd
	var logs []*bytes.Buffer
	for index := range job.Spec.Completions {
		c, said := command(fmt.Sprint(index), container.Args, selection...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		pods, logs = append(pods, c), append(logs, said)
	}
	waitFor(t, filepath.Join(out, fleet.Shard{Index: 0, Of: job.Spec.Completions}.Folder(), "fleet.json"))
	if err := pods[0].Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for i, c := range pods {
		if err := c.Wait(); i == 0 && c.ProcessState.ExitCode() != -1 {
			t.Fatalf("index 0 has ended before it was killed: %v: %s", err, logs[0].String())
		} else if code := c.ProcessState.ExitCode(); i > 0 && code != exitFail {
			t.Errorf("index %d has ended with %d, want %d, that of the worst of its targets: %s", i, code, exitFail, logs[i].String())
		}
	}

	merge := readKubernetes(t, "merge.yaml").Spec.Template.Spec.Containers[0].Args
	before, said := command("", merge)
	before.Run()
	if o := readOverview(t, out); before.ProcessState.ExitCode() != exitFail || o.Counts.Missing == 0 {
		t.Errorf("merged without the shard that was killed: code %d, %+v: %s", before.ProcessState.ExitCode(), o.Counts, said.String())
	}

	again, said := command("0", container.Args, selection...)
	if err := again.Run(); err != nil {
		t.Fatalf("index 0 again: %v: %s", err, said.String())
	}
	merged, said := command("", merge)
	merged.Run()
	if code := merged.ProcessState.ExitCode(); code != exitFail {
		t.Errorf("merge ends with %d, want %d: %s", code, exitFail, said.String())
	}
	got := readOverview(t, out)

	single := filepath.Join(folder, "single")
	whole, said := command("", []string{"run", "--targets", targets, "--report-out", single}, selection...)
	whole.Run()
	if code := whole.ProcessState.ExitCode(); code != exitFail {
		t.Errorf("the whole list ends with %d, want %d: %s", code, exitFail, said.String())
	}
	if diff := cmp.Diff(readOverview(t, single).withoutPlayers(), got.withoutPlayers()); diff != "" {
		t.Errorf("the shards have seen something else than one process (-one +shards):\n%s", diff)
	}
	if got.Verdict != report.Failed || got.Counts != (overview.Counts{Pass: 2, Fail: 2}) {
		t.Errorf("the verdict is %s, %+v", got.Verdict, got.Counts)
	}
}

// waitFor waits until a file is there.
func waitFor(t *testing.T, path string) {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Fatalf("%s is not written", path)
}

// A readBack is an overview that was read from its JSON form.
type readBack struct{ overview.Overview }

func readOverview(t *testing.T, folder string) *readBack {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "overview.json"))
	if err != nil {
		t.Fatal(err)
	}
	o := new(readBack)
	if err := json.Unmarshal(text, &o.Overview); err != nil {
		t.Fatal(err)
	}
	return o
}

// withoutPlayers is the overview without who has played what, when, and where the reports are.
func (o *readBack) withoutPlayers() overview.Overview {
	o.StartedAt, o.DurationMS = nil, 0
	for i := range o.Entries {
		e := &o.Entries[i]
		e.StartedAt, e.DurationMS, e.Shard, e.Reports = nil, 0, "", nil
	}
	return o.Overview
}
