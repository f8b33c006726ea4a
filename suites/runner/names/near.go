// SPDX-License-Identifier: Apache-2.0

package names

import "fmt"

// longEnough is how many characters an id has of which the beginning is nobody else's: those that are counted are shorter.
const longEnough = 16

// Near is ${near.name}, an id that nothing has, near the one that is kept: the same without its last character, or with one more where
// the shorter one may be another's.
func (s *Scope) Near(name string) (any, error) {
	v, found := s.Find(name)
	text, is := v.(string)
	if !found || !is {
		return nil, fmt.Errorf("${%s} is no text that has been kept", name)
	}
	if runes := []rune(text); len(runes) >= longEnough {
		return string(runes[:len(runes)-1]), nil
	}
	return text + "x", nil
}
