// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// An image is what the last stage of the Dockerfile makes.
type image struct {
	copies     [][2]string // from and to
	folders    string      // the command that makes the folders which are copied
	build      string      // the command that builds the program, without its mounts
	buildEnv   []string
	env        []string
	user       string // uid:gid
	workdir    string
	entrypoint []string
}

// readImage reads the Dockerfile.
func readImage(t *testing.T) image {
	t.Helper()
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	var i image
	base := ""
	for line := range strings.Lines(strings.ReplaceAll(string(text), "\\\n", " ")) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || word[0] == '#':
		case word == "FROM":
			base = rest
		case word == "RUN" && strings.HasPrefix(rest, "install -d "):
			i.folders = rest
		case word == "RUN" && strings.HasPrefix(rest, "--mount=type=bind,from=modules,target=/modules "):
			_, i.build, _ = strings.Cut(rest, " ")
		case word == "ENV" && base != "scratch":
			i.buildEnv = strings.Fields(rest)
		case base != "scratch": // an earlier stage
		case word == "COPY":
			from, paths, _ := strings.Cut(rest, " ")
			source, to, both := strings.Cut(paths, " ")
			if from != "--from=build" || !both || strings.Contains(to, " ") {
				t.Fatalf("this test cannot do %q", line)
			}
			i.copies = append(i.copies, [2]string{source, to})
		case word == "ENV":
			i.env = append(i.env, rest)
		case word == "USER":
			i.user = rest
		case word == "WORKDIR":
			i.workdir = rest
		case word == "ENTRYPOINT":
			if err := json.Unmarshal([]byte(rest), &i.entrypoint); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		default:
			t.Fatalf("this test does not know %q", line)
		}
	}
	if base != "scratch" || len(i.copies) < 3 || i.user == "" || len(i.entrypoint) != 1 {
		t.Fatalf("the image is %+v from %s", i, base)
	}
	return i
}

// rootOf puts the root file system of the image together: the program is the one given, certificates are those of this machine.
func (i image) rootOf(t *testing.T, program string) string {
	t.Helper()
	stage, root := t.TempDir(), filepath.Join(t.TempDir(), "root")
	make := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(i.folders, "/image/", stage+"/image/"))
	if _, err := output(make); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Mkdir(root, 0o755), os.Chmod(root, 0o755), os.Chmod(filepath.Dir(root), 0o755), os.Chmod(filepath.Dir(filepath.Dir(root)), 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, c := range i.copies {
		source, to := c[0], filepath.Join(root, c[1])
		switch {
		case strings.HasSuffix(source, "/"):
			entries, err := os.ReadDir(stage + source)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				info, err := e.Info()
				if err != nil || !info.IsDir() {
					t.Fatalf("%s: %v", e.Name(), err)
				}
				made := filepath.Join(to, e.Name())
				if err := errors.Join(os.MkdirAll(made, 0o755), os.Chmod(made, info.Mode())); err != nil {
					t.Fatal(err)
				}
			}
			continue
		case strings.HasPrefix(source, "/src/"):
			source = "../.." + strings.TrimPrefix(source, "/src")
		case strings.HasPrefix(source, "/image/"):
			source = program
		}
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o644)
		if source == program {
			mode = 0o755
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, mode)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestImageIsBuiltOffline builds the program of the image as the Dockerfile does, with an empty module cache, from what the cache of this
// machine holds, and with no other proxy. It runs in `make release-check` only.
func TestImageIsBuiltOffline(t *testing.T) {
	if !*whole {
		t.Skip("it unpacks all modules: make release-check")
	}
	i := readImage(t)
	cache, err := said(t.Context(), ".", "go", "env", "GOMODCACHE")
	if err != nil {
		t.Fatal(err)
	}
	stage := t.TempDir()
	command := strings.ReplaceAll(strings.ReplaceAll(i.build, "file:///modules", "file://"+filepath.Join(cache, "cache", "download")), "/image/", stage+"/")
	c := exec.CommandContext(t.Context(), "sh", "-c", command)
	c.Dir = repository
	c.Env = append(os.Environ(), append(i.buildEnv, "GOMODCACHE="+filepath.Join(t.TempDir(), "modules"), "GOPROXY=off", "VERSION=v1.2.3", "COMMIT=0123456789012345678901234567890123456789")...)
	// Modules are kept without write bits, which the folder of a test could not be removed with.
	c.Env = append(c.Env, "GOFLAGS=-modcacherw "+valueOf(i.buildEnv, "GOFLAGS"))
	if _, err := output(c); err != nil {
		t.Fatal(err)
	}
	if err := sameBytes(builtProgram(t), filepath.Join(stage, programName)); err != nil {
		t.Errorf("the program of the image is not that of a release: %v", err)
	}
}

func valueOf(env []string, name string) string {
	for _, e := range env {
		if value, is := strings.CutPrefix(e, name+"="); is {
			return value
		}
	}
	return ""
}

// TestImage starts the program in the root file system of the image, as an engine would: nothing else is in it, the user has no
// rights, and the reports go to a volume.
func TestImage(t *testing.T) {
	if why := cannotStartImages(); why != "" {
		t.Skip(why)
	}
	i := readImage(t)
	root := i.rootOf(t, builtProgram(t))
	var there []string
	err := filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			there = append(there, strings.TrimPrefix(path, root))
		}
		return err
	})
	if want := "/etc/group /etc/passwd /etc/ssl/certs/ca-certificates.crt /usr/bin/agentic-sandbox-conformance"; err != nil || strings.Join(there, " ") != want {
		t.Errorf("the files of the image are %v, want %s (%v)", there, want, err)
	}
	volume := t.TempDir()
	if err := os.Chmod(volume, 0o777); err != nil {
		t.Fatal(err)
	}
	if out, err := i.start(t, root, volume, "version"); err != nil || !strings.HasPrefix(out, programName+" ") {
		t.Errorf("version: %v\n%s", err, out)
	}
	// The executor of the demo is started as a process of its own, keeps its data in /tmp, and is found by its address.
	out, err := i.start(t, root, volume, "demo", "--quiet", "--run", "CARD-001,TASK-001", "--out", "demo", "--report-format", "markdown,json,junit")
	if err != nil || !strings.Contains(out, "CONFORMANCE-PASS") {
		t.Fatalf("demo: %v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(volume, "demo", "conformance.report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var run struct {
		Verdict string `json:"verdict"`
		Summary struct {
			Pass int `json:"pass"`
		} `json:"summary"`
	}
	if err := json.Unmarshal(text, &run); err != nil || run.Verdict != "pass" || run.Summary.Pass != 2 {
		t.Errorf("the report says %+v (%v)", run, err)
	}
	if owner, err := ownerOf(filepath.Join(volume, "demo", "conformance.report.json")); err != nil || owner != i.user {
		t.Errorf("the report belongs to %s, want %s (%v)", owner, i.user, err)
	}
}
