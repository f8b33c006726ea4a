// SPDX-License-Identifier: Apache-2.0

//go:build unix

package orphans

import (
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// asleep starts a group of two processes that would last.
func asleep(t *testing.T) (group int, ended <-chan error) {
	t.Helper()
	c := exec.Command("/bin/sh", "-c", "sleep 300 & sleep 300")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- c.Wait() }()
	t.Cleanup(func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) })
	return c.Process.Pid, over
}

// Groups that are left are ended when the pipe closes; those that were taken off the list, such as servers that a hook has
// started, are not.
func TestWhatIsLeftIsEnded(t *testing.T) {
	t.Parallel()
	var k Keeper
	first, firstEnded := asleep(t)
	second, secondEnded := asleep(t)
	third, thirdEnded := asleep(t)
	k.Add(first)
	k.Add(second)()
	k.Add(third)
	k.Close()
	for name, ended := range map[string]<-chan error{"the first": firstEnded, "the third": thirdEnded} {
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Errorf("%s is still there", name)
		}
	}
	for begin := time.Now(); syscall.Kill(-first, 0) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > 10*time.Second {
			t.Fatal("something of the first group is still there")
		}
	}
	select {
	case <-secondEnded:
		t.Error("the second is ended, though it was taken off the list")
	default:
	}
	k.Add(second)() // after Close nothing happens
	k.Close()
}

// A Keeper that was never told of a group starts nothing.
func TestNothingIsStartedForNothing(t *testing.T) {
	t.Parallel()
	var k Keeper
	k.Close()
	if k.pipe != nil || k.wait != nil {
		t.Error("there is a process")
	}
}
