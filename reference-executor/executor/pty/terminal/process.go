// SPDX-License-Identifier: Apache-2.0

//go:build unix

package terminal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// echoScript returns what is typed, byte for byte, on a terminal in raw mode, until it reads on descriptor 3 the code it
// shall exit with.
const echoScript = `exec 4<&0; cat <&4 & read -r code <&3; kill $!; exit "${code:-1}"`

// A Process is a process group on a pseudo-terminal of its own.
type Process struct {
	cmd    *exec.Cmd
	master *os.File
	code   *os.File // of the echo: where its exit code is written
	echo   bool
	typing sync.Mutex
	killed sync.Once
}

// Start starts a command on a new terminal of that size.
func Start(command Command, cols, rows int) (*Process, error) {
	master, slave, err := openTerminal()
	if err != nil {
		return nil, fmt.Errorf("open a pseudo-terminal: %w", err)
	}
	defer slave.Close()
	p := &Process{master: master, echo: len(command.Argv) == 0}
	if err := p.start(command, slave, cols, rows); err != nil {
		master.Close()
		return nil, err
	}
	return p, nil
}

// openTerminal opens a pseudo-terminal whose master takes part in the runtime's polling, so that closing it or a
// deadline ends a blocked read. creack/pty leaves it in blocking mode.
func openTerminal() (master, slave *os.File, err error) {
	blocking, slave, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer blocking.Close()
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		slave.Close()
		return nil, nil, err
	}
	return os.NewFile(uintptr(fd), "terminal"), slave, nil
}

func (p *Process) start(command Command, slave *os.File, cols, rows int) error {
	if err := p.Resize(cols, rows); err != nil {
		return fmt.Errorf("set the size: %w", err)
	}
	argv := command.Argv
	var codeReader *os.File
	if p.echo {
		argv = []string{"/bin/sh", "-c", echoScript}
		if _, err := term.MakeRaw(int(slave.Fd())); err != nil {
			return fmt.Errorf("set raw mode: %w", err)
		}
		var err error
		if codeReader, p.code, err = os.Pipe(); err != nil {
			return err
		}
		defer codeReader.Close()
	}
	p.cmd = exec.Command(argv[0], argv[1:]...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.Dir = command.Cwd
	p.cmd.Env = environment(command.Env)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if codeReader != nil {
		p.cmd.ExtraFiles = []*os.File{codeReader}
	}
	if err := p.cmd.Start(); err != nil {
		if p.code != nil {
			p.code.Close()
		}
		return fmt.Errorf("start %s: %w", filepath.Base(argv[0]), withoutPath(err))
	}
	return nil
}

// environment is small and the same everywhere: nothing of the executor's own environment reaches a session.
func environment(more map[string]string) []string {
	env := map[string]string{
		"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": "/", "TERM": "xterm-256color", "LANG": "C.UTF-8",
		"PS1": "$ ",
	}
	for name, value := range more {
		env[name] = value
	}
	var list []string
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

// withoutPath keeps paths of this machine out of what clients read.
func withoutPath(err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// Write types bytes. It gives up when the process reads nothing for so long that it must be stuck.
func (p *Process) Write(data []byte) error {
	p.typing.Lock()
	defer p.typing.Unlock()
	if err := p.master.SetWriteDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return err
	}
	_, err := p.master.Write(data)
	return err
}

// Resize tells the process how large its terminal is.
func (p *Process) Resize(cols, rows int) error {
	raw, err := p.master.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(cols)})
	})
	return errors.Join(err, failed)
}

// Run hands over what the process prints until it ends; chunk says how large the next piece may be. The exit code is
// nil when a signal ended it.
func (p *Process) Run(chunk func() int, output func([]byte)) (exit *int) {
	ended := make(chan *int, 1)
	go func() {
		_ = p.cmd.Wait()
		// What it has printed is still to be read. A child that it left behind may keep the terminal open for ever.
		_ = p.master.SetReadDeadline(time.Now().Add(250 * time.Millisecond))
		ended <- exitCode(p.cmd.ProcessState)
	}()
	buffer := make([]byte, 32<<10)
	for {
		n, err := p.master.Read(buffer[:min(max(1, chunk()), len(buffer))])
		if n > 0 {
			output(buffer[:n])
		}
		if err != nil { // EIO when nobody has the terminal open any more
			break
		}
	}
	exit = <-ended
	p.Kill()
	return exit
}

func exitCode(state *os.ProcessState) *int {
	if state == nil || !state.Exited() {
		return nil
	}
	code := state.ExitCode()
	return &code
}

// Kill ends the process and all of its group.
func (p *Process) Kill() {
	p.killed.Do(func() {
		_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
		p.master.Close()
		if p.code != nil {
			p.code.Close()
		}
	})
}

// Abandon ends a process that nobody runs.
func (p *Process) Abandon() {
	p.Kill()
	_ = p.cmd.Wait()
}

// Exit makes the process end with that code: the echo is told, a shell is typed to, anything else gets a TERM.
func (p *Process) Exit(code int) error {
	if p.echo {
		_, err := fmt.Fprintln(p.code, code)
		return err
	}
	shells := []string{"sh", "bash", "dash", "zsh", "ksh", "ash"}
	if slices.Contains(shells, strings.TrimPrefix(filepath.Base(p.cmd.Path), "-")) && len(p.cmd.Args) == 1 {
		return p.Write(fmt.Appendf(nil, "exit %d\n", code))
	}
	return syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM)
}
