// SPDX-License-Identifier: Apache-2.0

// Package lawful makes the choices that a contract leaves free, differently each time, so that nothing can be fitted to
// one server: the order of JSON members, white space, short delays.
package lawful

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"
)

// A Source makes the choices of one server from a seed. It may be used by several goroutines.
type Source struct {
	mu sync.Mutex
	r  *rand.Rand
}

// New makes a Source; the same seed makes the same choices.
func New(seed uint64) *Source {
	return &Source{r: rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15))}
}

// Below returns a number from 0 to n-1.
func (l *Source) Below(n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.IntN(n)
}

// Between returns a duration from least to most.
func (l *Source) Between(least, most time.Duration) time.Duration {
	return least + time.Duration(l.Below(int(most-least)+1))
}

// Fork returns a source of its own for one answer, so that an encoder need not lock for every space.
func (l *Source) Fork() *rand.Rand {
	l.mu.Lock()
	defer l.mu.Unlock()
	return rand.New(rand.NewPCG(l.r.Uint64(), l.r.Uint64()))
}

// Encode writes v as JSON with its members in some order and with white space where JSON allows it. What v holds is
// maps, slices, strings, numbers, booleans and nil, as encoding/json makes them.
func (l *Source) Encode(v any) []byte {
	e := encoder{r: l.Fork()}
	e.dense = e.r.IntN(3) > 0
	e.value(v)
	return e.out
}

// Compact writes v as JSON on one line, with its members in some order.
func (l *Source) Compact(v any) []byte {
	e := encoder{r: l.Fork(), dense: true}
	e.value(v)
	return e.out
}

type encoder struct {
	r     *rand.Rand
	dense bool // no white space
	out   []byte
}

var spaces = []string{" ", "", "", "  ", "\n", "\t", "\r\n  ", ""}

func (e *encoder) space() {
	if !e.dense {
		e.out = append(e.out, spaces[e.r.IntN(len(spaces))]...)
	}
}

func (e *encoder) value(v any) {
	switch v := v.(type) {
	case map[string]any:
		e.object(v)
	case []any:
		e.list(len(v), func(i int) { e.value(v[i]) })
	case []map[string]any:
		e.list(len(v), func(i int) { e.object(v[i]) })
	case []string:
		e.list(len(v), func(i int) { e.value(v[i]) })
	case json.RawMessage:
		e.out = append(e.out, v...)
	case json.Number:
		e.out = append(e.out, v...)
	case int:
		e.out = strconv.AppendInt(e.out, int64(v), 10)
	case int64:
		e.out = strconv.AppendInt(e.out, v, 10)
	case bool:
		e.out = strconv.AppendBool(e.out, v)
	case nil:
		e.out = append(e.out, "null"...)
	default:
		e.plain(v)
	}
}

// plain leaves a leaf to encoding/json; what it cannot encode is a bug of the executor.
func (e *encoder) plain(v any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic("bug: a value that is no JSON: " + err.Error())
	}
	e.out = append(e.out, text...)
}

func (e *encoder) object(v map[string]any) {
	names := slices.Sorted(maps.Keys(v))
	e.r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	e.out = append(e.out, '{')
	for i, name := range names {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.space()
		e.plain(name)
		e.space()
		e.out = append(e.out, ':')
		e.space()
		e.value(v[name])
		e.space()
	}
	e.out = append(e.out, '}')
}

func (e *encoder) list(n int, item func(int)) {
	e.out = append(e.out, '[')
	for i := range n {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.space()
		item(i)
		e.space()
	}
	e.out = append(e.out, ']')
}
