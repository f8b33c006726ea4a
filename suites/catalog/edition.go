// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
)

// An Edition is the text of a contract that the program goes by: its requirements, and the rulings on what it leaves open.
type Edition struct {
	Requirements, Rulings int
	SHA256                string // of both files, hex: another sentence, level or ruling is another edition
}

// EditionOf returns the edition of the contract of a profile; false where the program has no list of its requirements.
func EditionOf(profile string) (Edition, bool, error) {
	requirements, err := Of(profile)
	if err != nil || len(requirements) == 0 {
		return Edition{}, false, err
	}
	decided, err := Rulings(profile)
	if err != nil {
		return Edition{}, false, err
	}
	sum := sha256.New()
	for _, file := range []struct {
		in   fs.FS
		name string
	}{{files, profile + ".json"}, {rulings, "rulings/" + profile + ".json"}} {
		text, err := fs.ReadFile(file.in, file.name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return Edition{}, false, fmt.Errorf("edition of %s: %w", profile, err)
		}
		fmt.Fprintf(sum, "%s %d\n%s", file.name, len(text), text)
	}
	return Edition{len(requirements), len(decided), hex.EncodeToString(sum.Sum(nil))}, true, nil
}
