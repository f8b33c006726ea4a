// SPDX-License-Identifier: Apache-2.0

package plain

var listFaults = map[string]func(*behaviour){
	"list-without-total": func(b *behaviour) { b.output.list = func(_ *call, v object) { delete(v, "totalSize") } },
	"list-ignores-state": func(b *behaviour) { b.list.state = func(query, *task) bool { return true } },
	"page-tokens-that-mean-nothing": func(b *behaviour) {
		b.list.position = func(s *Server, q query) (position, *failure) {
			at, _ := s.tokens.open(q)
			return at, nil
		}
	},
}
