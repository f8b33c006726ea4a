// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"strings"
)

// A place is one that can be found: a section of a page, or a requirement.
type place struct {
	ID    int    `json:"id"`
	Key   string `json:"key,omitempty"` // the id of a requirement or of a ruling, which is found by it before all others
	URL   string `json:"url"`           // from the folder of the version
	Title string `json:"title"`
	Page  string `json:"page"`
	Text  string `json:"text"`
}

// maxFound is how much of a text is looked through, in bytes: a file that a page links to may be long.
const maxFound = 64 << 10

// index notes all places.
func (s *site) index() {
	for _, p := range s.pages {
		for _, at := range p.sections {
			one := place{ID: len(s.places), URL: p.path, Title: at.title, Page: p.title, Text: at.text}
			if at.id != "" && at.level > 1 {
				one.URL += "#" + at.id
			}
			if p.profile != "" && at.level > 1 && p.ids[at.id] {
				if key, _, _ := strings.Cut(at.title, " "); key == at.id {
					one.Key = key
				}
			}
			if len(one.Text) > maxFound {
				one.Text = strings.ToValidUTF8(one.Text[:maxFound], "")
			}
			s.places = append(s.places, one)
		}
	}
}

// searchScript is the index as a script: a page that is opened as a file may load nothing else.
func (s *site) searchScript() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("window.searchPlaces = ")
	if err := json.NewEncoder(&b).Encode(s.places); err != nil { // "<" and the line ends of JavaScript are escaped
		return nil, err
	}
	return append(bytes.TrimSpace(b.Bytes()), ";\n"...), nil
}
