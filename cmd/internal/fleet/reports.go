// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// Reports are the paths of the reports of a target that stand in its folder, with slashes, below from: "eu-west/conformance.report.md". The
// one for people comes first.
func Reports(folder fs.FS, name, from string) []string {
	all, err := fs.ReadDir(folder, name)
	if err != nil {
		return nil
	}
	var paths []string
	for _, ending := range []string{".html", ".md", ".json", ".junit.xml"} {
		for _, e := range all {
			if e.Name() == ReportBase+ending && e.Type().IsRegular() {
				paths = append(paths, strings.TrimPrefix(path.Join(filepath.ToSlash(from), name, e.Name()), "./"))
			}
		}
	}
	return paths
}
