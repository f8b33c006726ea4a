// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// Between these two lines of the page stands what bench has measured; the rest is written by hand, or by others.
const (
	pageBegin = "<!-- bench: generated -->"
	pageEnd   = "<!-- bench: end -->"
)

// writePage puts the text between the marks of a page.
func writePage(path, text string) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed, err := replaced(string(page), text)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(changed), 0o644)
}

// replaced is the page with another text between its marks.
func replaced(page, text string) (string, error) {
	before, rest, begins := strings.Cut(page, pageBegin)
	_, after, ends := strings.Cut(rest, pageEnd)
	if !begins || !ends {
		return "", errors.New("the lines " + pageBegin + " and " + pageEnd + " are missing, between which the figures stand: put them back")
	}
	return before + pageBegin + "\n\n" + strings.TrimSpace(text) + "\n\n" + pageEnd + after, nil
}
