// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

const (
	// latest is the folder with a copy of the newest version.
	latest = "latest"
	// mark is the file by which the folder of a version is known. No other folder is ever emptied.
	mark = "version.json"
	// unfinished is the file of a folder that is being written.
	unfinished  = ".unfinished"
	versionForm = program + "/site/v1"
)

// A madeVersion is what the folder of a version says of itself.
type madeVersion struct {
	Schema       string `json:"schema"`
	Version      string `json:"version"`
	Commit       string `json:"commit,omitempty"`
	Pages        int    `json:"pages"`
	Requirements int    `json:"requirements"`
}

func writeMark(folder string, v madeVersion) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return put(folder, mark, append(text, '\n'))
}

// readMark is what a folder says of itself; false: it is none of a version.
func readMark(folder string) (madeVersion, bool) {
	var v madeVersion
	text, err := os.ReadFile(filepath.Join(folder, mark))
	if err != nil || json.Unmarshal(text, &v) != nil || v.Schema != versionForm {
		return madeVersion{}, false
	}
	return v, true
}

// emptied makes a folder, or empties one that this program has written. A folder with anything else in it is refused.
func emptied(folder string) error {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return os.MkdirAll(folder, 0o755)
	case err != nil:
		return err
	}
	_, made := readMark(folder)
	if _, err := os.Stat(filepath.Join(folder, unfinished)); err == nil {
		made = true
	}
	if len(entries) > 0 && !made {
		return fmt.Errorf("%s has no %s: it is not what this command has written, and is left alone", folder, mark)
	}
	return errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755))
}

// versionsIn are the versions below the folder of a site, the newest first.
func versionsIn(out string) ([]madeVersion, error) {
	entries, err := os.ReadDir(out)
	if err != nil {
		return nil, err
	}
	var all []madeVersion
	for _, e := range entries {
		if v, made := readMark(filepath.Join(out, e.Name())); made && e.IsDir() && v.Version == e.Name() && v.Version != latest {
			all = append(all, v)
		}
	}
	slices.SortFunc(all, func(a, b madeVersion) int { return compare(b.Version, a.Version) })
	return all, nil
}

// rank is what a version is: 2 a release, 1 one before a release, 0 a commit that has no release of its own.
func rank(version string) int {
	switch {
	case !semver.IsValid(version) || semver.Build(version) != "" || module.IsPseudoVersion(version) || isDescribed.MatchString(version):
		return 0
	case semver.Prerelease(version) != "":
		return 1
	}
	return 2
}

// compare orders versions: releases come after everything else, and among equals the number decides.
func compare(a, b string) int {
	return cmp.Or(cmp.Compare(rank(a), rank(b)), semver.Compare(a, b), cmp.Compare(a, b))
}

// newest is the version that latest/ is: the newest release, or else the newest of what there is.
func newest(sorted []madeVersion) madeVersion { return sorted[0] }

func names(all []madeVersion) []string {
	var b []string
	for _, v := range all {
		b = append(b, v.Version)
	}
	return b
}

// writeIndex writes the page that lists the versions, and copies the newest one to latest/. It returns them; none: nothing is written.
func writeIndex(out string) ([]madeVersion, error) {
	all, err := versionsIn(out)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	style, err := assets.ReadFile("assets/site.css")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = templates.ExecuteTemplate(&b, "versions.html", map[string]any{"Program": program, "Versions": all, "Latest": newest(all), "Style": template.CSS(style)})
	if err != nil {
		return nil, err
	}
	if err := put(out, "index.html", b.Bytes()); err != nil {
		return nil, err
	}
	copied := filepath.Join(out, latest)
	if err := emptied(copied); err != nil {
		return nil, err
	}
	return all, os.CopyFS(copied, os.DirFS(filepath.Join(out, newest(all).Version)))
}

// isDescribed is how git describes a commit behind a tag, or a tree with changes.
var isDescribed = regexp.MustCompile(`-[0-9]+-g[0-9a-f]+(-dirty)?$|-dirty$`)
