// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A store has all that the server knows. What it hands out are copies.
type store struct {
	mu            sync.Mutex
	made          int // everything that was ever made, for an order among those of one time
	conversations map[string]*conversation
	starts        map[string]*startTask
	sandboxes     map[string]*sandbox
	events        map[string]*event
	v0            map[string]*oldConversation
	lent          map[*user][]*sandbox // to the hook, the next one first
	files         map[string]bool      // below the folder, with slashes
	folder        string               // empty: there is none
}

// begin makes the store ready, with the folder that events are kept in.
func (st *store) begin(folder string) error {
	st.conversations, st.starts, st.sandboxes = map[string]*conversation{}, map[string]*startTask{}, map[string]*sandbox{}
	st.lent = map[*user][]*sandbox{}
	st.events, st.v0, st.files, st.folder = map[string]*event{}, map[string]*oldConversation{}, map[string]bool{}, folder
	if folder == "" {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("make the folder of the events: %w", err)
	}
	return nil
}

// next is a number that grows with everything that is made. The store is locked.
func (st *store) next() int {
	st.made++
	return st.made
}

// write keeps a file; name has slashes. The store is locked.
func (st *store) write(name string, text []byte) error {
	st.files[name] = true
	if st.folder == "" {
		return nil
	}
	path := filepath.Join(st.folder, filepath.FromSlash(name))
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o600))
}

// storageBehaviour is where events are kept.
type storageBehaviour struct {
	path func(v *event) string // with slashes
}

var conformantStorage = storageBehaviour{
	path: func(v *event) string {
		return "v1/events/" + v.conversation + "/" + v.at.Format("20060102T150405.000000") + "_" + v.kind + "_" + fileName(v.id)
	},
}

// fileName is an id as a file can be called.
func fileName(id string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, id)
}

// some are copies of the members of a map that a condition holds of, the oldest first. The store is locked.
func some[V any](all map[string]*V, holds func(v *V) bool, at func(v *V) (time.Time, int)) []V {
	var found []V
	for _, v := range all {
		if holds(v) {
			found = append(found, *v)
		}
	}
	slices.SortFunc(found, func(a, b V) int {
		ta, na := at(&a)
		tb, nb := at(&b)
		return cmp.Or(ta.Compare(tb), cmp.Compare(na, nb))
	})
	return found
}

// records are those of some values.
func records[V any, R interface {
	*V
	record
}](all []V) []record {
	found := make([]record, len(all))
	for i := range all {
		found[i] = R(&all[i])
	}
	return found
}
