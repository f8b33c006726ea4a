// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// inImage is the environment variable by which this test program starts itself in name spaces of its own, where it mounts what an
// engine would, and then starts a program in a root file system.
const inImage = "RELEASE_TEST_IN_IMAGE"

// A container is one start of a program in an image.
type container struct {
	Root, Volume, Workdir string
	UID, GID              uint32
	Env, Args             []string
}

// asContainer does that if it is asked to, and returns the exit code.
func asContainer() (code int, is bool) {
	text := os.Getenv(inImage)
	if text == "" {
		return 0, false
	}
	return contain([]byte(text)), true
}

// contain starts the program in its root file system, and returns its exit code.
func contain(text []byte) int {
	var c container
	if err := json.Unmarshal(text, &c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	for _, m := range []struct {
		source, to, kind string
		flags            uintptr
	}{
		{c.Volume, "reports", "", syscall.MS_BIND},
		{"/dev", "dev", "", syscall.MS_BIND | syscall.MS_REC},
		{"proc", "proc", "proc", 0},
	} {
		to := filepath.Join(c.Root, m.to)
		if err := os.MkdirAll(to, 0o755); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 125
		}
		if err := syscall.Mount(m.source, to, m.kind, m.flags, ""); err != nil {
			fmt.Fprintf(os.Stderr, "mount %s: %v\n", to, err)
			return 125
		}
	}
	p := &exec.Cmd{Path: c.Args[0], Args: c.Args, Env: c.Env, Dir: c.Workdir, Stdout: os.Stdout, Stderr: os.Stderr}
	p.SysProcAttr = &syscall.SysProcAttr{Chroot: c.Root, Credential: &syscall.Credential{Uid: c.UID, Gid: c.GID}}
	if err := p.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		if p.ProcessState != nil {
			return p.ProcessState.ExitCode()
		}
		return 125
	}
	return 0
}

// start runs the program of the image with arguments, and returns what it said on both streams.
func (i image) start(t *testing.T, root, volume string, args ...string) (string, error) {
	t.Helper()
	uid, gid, _ := strings.Cut(i.user, ":")
	c := container{Root: root, Volume: volume, Workdir: i.workdir, Env: i.env, Args: append(i.entrypoint, args...)}
	for _, id := range []struct {
		text string
		to   *uint32
	}{{uid, &c.UID}, {gid, &c.GID}} {
		n, err := strconv.ParseUint(id.text, 10, 32)
		if err != nil || n == 0 {
			t.Fatalf("USER %s: want two numbers that are not 0", i.user)
		}
		*id.to = uint32(n)
	}
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	p := exec.CommandContext(t.Context(), os.Args[0])
	p.Env = append(os.Environ(), inImage+"="+string(text))
	p.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Cloneflags: syscall.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL}
	out, err := p.CombinedOutput()
	return string(out), err
}

// cannotStartImages says why no root file system can be started here; empty: it can.
func cannotStartImages() string {
	if os.Geteuid() != 0 {
		return "to start a program in another root file system takes root"
	}
	p := exec.Command("/bin/true")
	p.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS, Cloneflags: syscall.CLONE_NEWPID}
	if err := p.Run(); err != nil {
		return fmt.Sprintf("this machine gives nobody name spaces of their own: %v", err)
	}
	return ""
}

// ownerOf is the uid:gid of a file.
func ownerOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	s := info.Sys().(*syscall.Stat_t)
	return fmt.Sprintf("%d:%d", s.Uid, s.Gid), nil
}
