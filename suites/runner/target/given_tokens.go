// SPDX-License-Identifier: Apache-2.0

package target

import (
	"maps"
	"slices"
)

// GivenTokens are the tokens that the operator gave, by identity, without stand-ins.
type GivenTokens map[string]string

// Has says whether the operator gave that token, rather than another one that stands in for it.
func (g GivenTokens) Has(identity string) bool { return g[identity] != "" }

// List is ${tokens}: every token that the operator gave, none of which may turn up anywhere.
func (g GivenTokens) List() []any {
	list := []any{}
	for _, identity := range slices.Sorted(maps.Keys(g)) {
		if token := g[identity]; token != "" {
			list = append(list, token)
		}
	}
	return list
}

// areTwo says whether the operator gave one token for the instance and another one for the admin surface.
func (g GivenTokens) areTwo() bool {
	return g.Has("instance") && g.Has("admin") && g["instance"] != g["admin"]
}
