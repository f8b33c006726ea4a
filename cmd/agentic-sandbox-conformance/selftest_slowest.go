// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest"
)

// withSlowest is the text of a page with the slowest faults of a self-test in it.
func withSlowest(path string, r *selftest.Report) ([]byte, error) {
	page, err := readBounded(path, maxPage)
	if err != nil {
		return nil, err
	}
	return r.WithSlowest(page)
}

// writeSlowest writes the slowest faults of a self-test into a page; nothing where none is named.
func writeSlowest(path string, r *selftest.Report) error {
	if path == "" {
		return nil
	}
	page, err := withSlowest(path, r)
	if err != nil {
		return err
	}
	return os.WriteFile(path, page, 0o644)
}
