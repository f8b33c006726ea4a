// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSiteArchive: the archive has the pages of the version below one folder, with the list of versions that they link to, and the same
// commit gives the same bytes.
func TestSiteArchive(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program that makes the site")
	}
	t.Parallel()
	s := here(t)
	var first []byte
	for range 2 {
		folder := t.TempDir()
		to := filepath.Join(folder, s.siteName()+".tar.gz")
		if err := s.site(t.Context(), filepath.Join(folder, "site"), to); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		if first != nil && !slices.Equal(first, text) {
			t.Error("the second archive differs from the first")
		}
		first = text
		siteIsWhole(t, s, to)
	}
}

// siteIsWhole: what has to be in the archive of the site is.
func siteIsWhole(t *testing.T, s *source, archive string) {
	t.Helper()
	folder := t.TempDir()
	names := extracted(t, archive, folder)
	base := s.siteName()
	for _, want := range []string{"index.html", s.version + "/index.html", s.version + "/requirements/agentic-sandbox-v2/card.html", s.version + "/assets/minisearch/LICENSE.txt", s.version + "/version.json"} {
		if !slices.Contains(names, base+"/"+want) {
			t.Errorf("%s has no %s", filepath.Base(archive), want)
		}
	}
	for _, name := range names {
		if strings.HasPrefix(name, base+"/latest/") {
			t.Errorf("%s is in the archive, and no link leads there", name)
			break
		}
	}
	page, err := os.ReadFile(filepath.Join(folder, base, s.version, "requirements/agentic-sandbox-v2/card.html"))
	if err != nil || !strings.Contains(string(page), `id="CARD-011"`) || !strings.Contains(string(page), s.commit) {
		t.Errorf("the page of requirements has no CARD-011 or no commit (%v)", err)
	}
}
