// SPDX-License-Identifier: Apache-2.0

package reporttest

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

var update = flag.Bool("update", false, "write the golden files anew; read them before you commit them")

// maxGolden is how much of a golden file is read: nobody reads a longer one before it is committed.
const maxGolden = 8 << 20

// Golden compares a text with the file that holds it, or writes the file when the tests are run with -update.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := replace(path, got); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want, err := io.ReadAll(io.LimitReader(file, maxGolden))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", path, diff)
	}
}

// Updating says whether golden files are being written anew: whoever reads one meanwhile may read the old one.
func Updating() bool { return *update }

// replace puts a file with that text in the place of another one, so that nobody reads a part of it: packages are tested at the same time.
func replace(path, text string) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".golden-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // once it has its name, there is none to remove
	_, err = file.WriteString(text)
	if err = errors.Join(err, file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// Rendered is a run in a format.
func Rendered(t *testing.T, write func(io.Writer, report.Settled) error, run *report.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, run.Settled()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
