// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"embed"
	"io/fs"
	"slices"
)

// A folder with suites is a profile: nothing else names it here.
//
//go:embed */*.yaml
var embedded embed.FS

// Embedded holds the bundled suites, one folder a profile, for [LoadProfile].
func Embedded() fs.FS { return embedded }

// Profiles lists the bundled profiles by name.
func Profiles() []string {
	entries, err := embedded.ReadDir(".")
	if err != nil {
		panic("bug: the embedded suites cannot be listed: " + err.Error())
	}
	var all []string
	for _, entry := range entries {
		if entry.IsDir() {
			all = append(all, entry.Name())
		}
	}
	slices.Sort(all)
	return all
}
