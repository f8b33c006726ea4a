// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// oneTest is the bundled test whose start is measured: the first request of its own is a POST, which no first look at a target sends.
const oneTest = "TASK-001"

// A started is how long the program took, from its start, until the target got a request.
type started struct {
	looked time.Duration // the first of all: the program looks whether somebody is there
	asked  time.Duration // the first of the test
	ended  time.Duration // the program had written its reports
}

// starts plays one bundled test so many times, after one warm-up, and returns the median of each time.
func starts(program, dir string, runs int) (started, error) {
	var all []started
	for i := range runs + 1 {
		one, err := start(program, dir)
		if err != nil {
			return started{}, err
		}
		if i > 0 {
			all = append(all, one)
		}
	}
	var looked, asked, ended []time.Duration
	for _, s := range all {
		looked, asked, ended = append(looked, s.looked), append(asked, s.asked), append(ended, s.ended)
	}
	return started{looked: median(looked), asked: median(asked), ended: median(ended)}, nil
}

// start plays the test once. The server is in this process: what it answers costs next to nothing, and both read one clock.
func start(program, dir string) (started, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return started{}, err
	}
	defer listener.Close()
	url := "http://" + listener.Addr().String() + base
	var mu sync.Mutex
	var first, own time.Time
	answers := instant(url)
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		now := time.Now()
		mu.Lock()
		if first.IsZero() {
			first = now
		}
		if own.IsZero() && r.Method == http.MethodPost {
			own = now
		}
		mu.Unlock()
		answers.ServeHTTP(w, r)
	}))
	command := exec.Command(program, "--executor-url", url, "--run", oneTest, "-q", "--report-out", filepath.Join(dir, "one.md"))
	began := time.Now()
	took, _, err := timed(command)
	mu.Lock()
	defer mu.Unlock()
	if own.IsZero() {
		return started{}, fmt.Errorf("%s sent no POST: %w", oneTest, err)
	}
	return started{looked: first.Sub(began), asked: own.Sub(began), ended: took}, nil
}
