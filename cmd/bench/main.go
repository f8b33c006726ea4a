// SPDX-License-Identifier: Apache-2.0

// Command bench measures what the harness costs: the built program, with default jobs, evidence and all reports, plays
// 1, 20, 200 and 2,000 tests (GET the card with six checks, POST a message, poll the task until it has completed) against an
// instant in-memory server in another process. Each run is paired with a bare net/http loop, again in a process of its
// own, that sends the same requests one after the other and decodes the same bodies. What counts is the ratio of the two
// wall times, pair by pair; absolute times say more about the machine.
//
//	go run ./cmd/bench [-n 5] [-cases 1,20,200,2000] [-demos=false] [-k6 PATH] [-page docs/performance.md] path/to/agentic-sandbox-conformance
//
// It also measures how long one bundled test takes to begin, plays the bundled suites against the bundled servers and sets the wall
// time beside the longest wait that the contract imposes on a single test, and compares the program with another runner. With -page the
// figures replace those of the page, beside the aims.
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
	demos := flag.Bool("demos", true, "play the bundled suites")
	k6 := flag.String("k6", "", "k6 to compare with")
	page := flag.String("page", "", "page to write the figures into; empty: standard output")
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
	case *runs < 1:
		err = fmt.Errorf("-n is %d, want 1 or more", *runs)
	case flag.NArg() == 1:
		var text strings.Builder
		if err = measure(flag.Arg(0), *k6, *runs, numbers(*cases), *demos, &text); err == nil && *page != "" {
			err = writePage(*page, text.String())
		} else if err == nil {
			fmt.Print(text.String())
		}
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
