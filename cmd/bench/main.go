// SPDX-License-Identifier: Apache-2.0

// Command bench measures what the harness costs: the built program, with default jobs, evidence and all reports, plays
// 1, 20, 200 and 2,000 tests (GET the card with six checks, POST a message, poll the task until it has completed) against an
// instant in-memory server in another process. Each run is paired with a bare net/http loop, again in a process of its
// own, that sends the same requests one after the other and decodes the same bodies. What counts is the ratio of the two
// wall times, pair by pair; absolute times say more about the machine.
//
//	go run ./cmd/bench [-n 5] [-cases 1,20,200,2000] path/to/agentic-sandbox-conformance
//
// It also plays the bundled suites against the bundled reference executor and sets the wall time beside the longest wait
// that the contract imposes on a single test of the run.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func main() {
	runs := flag.Int("n", 5, "counted pairs for each number of tests, after one warm-up")
	cases := flag.String("cases", "1,20,200,2000", "numbers of tests, comma separated")
	role := flag.String("role", "", "internal: server or loop")
	url := flag.String("url", "", "internal: the server's instance URL")
	count := flag.Int("count", 0, "internal: passes of the bare loop")
	flag.Parse()
	var err error
	switch {
	case *role == "server":
		err = serve()
	case *role == "loop":
		err = loop(*url, *count)
	case flag.NArg() == 1:
		err = measure(flag.Arg(0), *runs, numbers(*cases))
	default:
		err = fmt.Errorf("name the built program: go run ./cmd/bench bin/agentic-sandbox-conformance")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func numbers(list string) []int {
	var ns []int
	for _, text := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 1 || n > 100_000 {
			fmt.Fprintf(os.Stderr, "bench: -cases: %q is no number from 1 to 100000\n", text)
			os.Exit(2)
		}
		ns = append(ns, n)
	}
	return ns
}
