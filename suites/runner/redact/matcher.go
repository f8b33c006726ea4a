// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A matcher finds patterns. It does not change: with a secret that is learned there is a new one, which shares with the old one what the
// old secrets have.
type matcher struct {
	known map[pattern]bool
	pairs [1 << 13]uint64       // the first two bytes of patterns, as a set
	heads map[uint16][]*pattern // patterns by their first two bytes
	first [256][]*pattern       // by the first
	ends  []ends                // ends of patterns, of those that came together
}

// Ends are the ends of patterns, in the order of their first two bytes. There are a million of them in a long run: each is four bytes.
type ends struct {
	of     []*pattern
	begins []uint32 // where in all of them each begins
	all    string   // what the patterns say, one behind the other
	each   []uint32 // where in all of them ends begin
}

// with is a matcher of the same patterns and those of more secrets.
func (m *matcher) with(secrets []string) *matcher {
	more := &matcher{pairs: m.pairs, first: m.first, known: maps.Clone(m.known), heads: maps.Clone(m.heads), ends: slices.Clip(m.ends)}
	var fresh []*pattern
	met := map[pattern]bool{}
	for _, secret := range secrets {
		patterns := patternsOf(secret)
		for i := range patterns {
			if p := &patterns[i]; !more.known[*p] && !met[*p] {
				met[*p] = true
				fresh = append(fresh, p)
			}
		}
	}
	more.ends = append(more.ends, endsOf(fresh)) // first: it makes their texts parts of one, and no other copy is kept
	for _, p := range fresh {
		more.known[*p] = true
		head := pair(p.text[0], p.text[1])
		more.pairs[head>>6] |= 1 << (head & 63)
		more.heads[head] = append(slices.Clip(more.heads[head]), p)
		more.first[p.text[0]] = append(slices.Clip(more.first[p.text[0]]), p)
	}
	return more
}

// endsOf are the ends of patterns, whose texts it makes parts of one.
func endsOf(patterns []*pattern) ends {
	e := ends{of: patterns, begins: make([]uint32, len(patterns))}
	var all strings.Builder
	for i, p := range patterns {
		e.begins[i] = uint32(all.Len())
		all.WriteString(p.text)
	}
	e.all = all.String()
	next := make([]uint32, 1<<16+1) // where the next end with each head comes
	e.eachEnd(func(at uint32) { next[int(e.head(at))+1]++ })
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	e.each = make([]uint32, next[len(next)-1])
	e.eachEnd(func(at uint32) {
		e.each[next[e.head(at)]] = at
		next[e.head(at)]++
	})
	return e
}

// eachEnd does something with the place of every end that is long enough to be looked for.
func (e *ends) eachEnd(do func(at uint32)) {
	for i, p := range e.of {
		p.text = e.all[e.begins[i]:][:len(p.text)]
		for from := 1; !p.word && from+leastPart <= len(p.text); from++ {
			do(e.begins[i] + uint32(from))
		}
	}
}

// head is the first two bytes of the end at a place.
func (e *ends) head(at uint32) uint16 { return pair(e.all[at], e.all[at+1]) }

// endsWith does something with each end whose first two bytes are from a pair of bytes to another.
func (m *matcher) endsWith(from, to uint16, do func(of *pattern, from int)) {
	for i := range m.ends {
		e := &m.ends[i]
		begin, _ := slices.BinarySearchFunc(e.each, from, func(at uint32, head uint16) int { return cmp.Compare(e.head(at), head) })
		for _, at := range e.each[begin:] {
			if e.head(at) > to {
				break
			}
			behind, _ := slices.BinarySearch(e.begins, at+1)
			do(e.of[behind-1], int(at-e.begins[behind-1]))
		}
	}
}

func pair(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

// canonical is a byte of a text as patterns have it. The alphabets of base64 differ in two characters.
func canonical(c byte, k kind) byte {
	switch c = fold(c); {
	case k == inBase64 && c == '-':
		return '+'
	case k == inBase64 && c == '_':
		return '/'
	case k == inBytes && c == ' ':
		return ','
	}
	return c
}

// isOrdinary says of bytes that they stand for themselves alone, and that no format breaks a text at them.
var isOrdinary = func() (ordinary [256]bool) {
	for c := range 256 {
		b := byte(c)
		ordinary[c] = !isIntroducer(b) && b != '\r' && b != '\n' && b != 0
	}
	return ordinary
}()

// at is where the longest pattern ends that begins at i, and i where none does.
func (m *matcher) at(v *view, i int) int {
	c := v.text[i]
	if isOrdinary[c] {
		best := i
		for _, b := range alphabets(fold(c)) {
			if len(m.first[b]) > 0 {
				best = m.after(b, v, i, best)
			}
		}
		return best
	}
	if !v.escapes(i) || c == '\\' && v.text[i+1] == '"' && len(m.first['"']) == 0 {
		if len(m.first[fold(c)]) == 0 {
			return i
		}
		return longest(m.first[fold(c)], v, i, i)
	}
	best := i
	for _, r := range v.readings(i) {
		best = longest(m.first[fold(r.means[0])], v, i, best)
	}
	return best
}

// after is at where the first byte of patterns stands at i.
func (m *matcher) after(first byte, v *view, i, best int) int {
	if i+1 < len(v.text) && isOrdinary[v.text[i+1]] {
		return m.before(first, v, i, i+1, best)
	}
	for _, p := range seconds(v.text, i+1) {
		best = m.before(first, v, i, p, best)
	}
	return best
}

// before is after where the second byte of patterns stands at p.
func (m *matcher) before(first byte, v *view, i, p, best int) int {
	if !isOrdinary[v.text[p]] && v.escapes(p) {
		for _, r := range v.readings(p) {
			best = m.headed(pair(first, fold(r.means[0])), v, i, best)
		}
		return best
	}
	for _, second := range alphabets(fold(v.text[p])) {
		best = m.headed(pair(first, second), v, i, best)
	}
	return best
}

// headed is at for the patterns that begin with two bytes.
func (m *matcher) headed(head uint16, v *view, i, best int) int {
	if m.pairs[head>>6]&(1<<(head&63)) == 0 {
		return best
	}
	return longest(m.heads[head], v, i, best)
}

// maxSeconds bounds the places at which the second byte of a secret is looked for, behind breaks behind breaks.
const maxSeconds = 8

// seconds are the places at which a text may go on that may have been broken at p: p, and wherever a walk would go from there.
func seconds(text string, p int) []int {
	if p >= len(text) {
		return nil
	}
	all := []int{p}
	add := func(p int) {
		if p < len(text) && len(all) < maxSeconds && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	for n := 0; n < len(all); n++ {
		p := all[n]
		if isOrdinary[text[p]] {
			continue
		}
		for _, k := range []kind{plainText, inHex, inBytes} {
			behind := behindBreak(text, p, k)
			if k == inHex {
				add(behindOffset(text, behind))
			}
			add(behind)
		}
	}
	return all
}

// alphabets are the bytes of patterns that a byte of a text may stand for.
func alphabets(c byte) []byte { return readAs[c] }

// readAs is alphabets, for every byte.
var readAs = func() (all [256][]byte) {
	for c := range 256 {
		all[c] = []byte{byte(c)}
	}
	all['-'], all['_'], all[' '] = []byte("-+"), []byte("_/"), []byte(" ,")
	return all
}()

func longest(patterns []*pattern, v *view, i, best int) int {
	for _, p := range patterns {
		if end := p.match(v, i, 0); end > best && !(p.word && (besides(v.text, i-1) || besides(v.text, end))) {
			best = end
		}
	}
	return best
}

// besides says whether a letter or digit stands at p.
func besides(text string, p int) bool {
	return p >= 0 && p < len(text) && (isLetter(text[p]) || isDigit(text[p]))
}

// tail is where the longest end of a pattern ends that a text begins with, be it behind the rest of an escape that was cut
// there. It is 0 where the text begins with none.
func (m *matcher) tail(v *view) int {
	begin := behindPrefix(v.text, len(v.text)-len(strings.TrimLeft(v.text, "\r\n\x00"))) // it may have been cut at the end of a line
	best := m.tailAt(v, begin)
	for n := 1; n < len(linePrefix) && best == 0; n++ {
		if strings.HasPrefix(v.text, linePrefix[n:]) {
			best = m.tailAt(v, behindPrefix(v.text, len(linePrefix)-n))
		}
	}
	for _, behind := range behindFragment(v.text, begin) {
		if best > 0 {
			break
		}
		best = m.tailAt(v, behind)
	}
	return best
}

func (m *matcher) tailAt(v *view, begin int) int {
	text := v.text
	if begin+2 > len(text) {
		return 0
	}
	best := 0
	if isOrdinary[text[begin]] && isOrdinary[text[begin+1]] && len(alphabets(text[begin])) == 1 && len(alphabets(text[begin+1])) == 1 {
		head := pair(fold(text[begin]), fold(text[begin+1]))
		m.endsWith(head, head, func(of *pattern, from int) { best = max(best, of.match(v, begin, from)) })
		return best
	}
	second := text[begin+1]
	for _, r := range v.readings(begin) {
		for _, b := range alphabets(fold(r.means[0])) {
			m.endsWith(pair(b, 0), pair(b, 0xff), func(of *pattern, from int) {
				if isOrdinary[text[begin]] && of.kind.readsAsItIs(second) && canonical(second, of.kind) != of.text[from+1] {
					return // as a walk would find out
				}
				best = max(best, of.match(v, begin, from))
			})
		}
	}
	return best
}

// match is where the pattern ends, from one of its bytes on, that stands at i; or where an end of it does, before a cut; or -1.
func (p *pattern) match(v *view, i, from int) int {
	// Each byte of a secret is read in few ways; a text that can be read in ever more ways is not followed further.
	w := walk{pattern: p, view: v, from: from, cut: -1, steps: 64 + 8*len(p.text)}
	if w.goes(i, from) {
		if from > 0 && !w.enough(len(p.text)) {
			return -1
		}
		return w.end
	}
	if from == 0 && w.steps < 0 && p.kind == plainText && len(v.text)-i >= len(p.text) && lower(v.text[i:i+len(p.text)]) == p.text {
		return i + len(p.text) // it stands there as it is, among so much that may be escapes that nobody reads it all
	}
	return w.cut
}

// A walk compares a pattern with a text.
type walk struct {
	*pattern
	view  *view
	from  int                // where in the pattern it begins
	steps int                // that are left
	end   int                // of the whole
	cut   int                // the end of the longest part before a cut; -1: there is none
	backs int                // how often it came back from a way that led nowhere
	vain  map[place]struct{} // where all ways lead nowhere, of a walk that came back often

	brokenAt, breaks int  // how many breaks in a row were passed over before a byte of the pattern
	stopped          bool // at more of them than formats make
}

// maxBreaks is how many breaks in a row a walk passes over: the end of a line, and one or two empty ones. In a text that is
// broken everywhere it would otherwise go from line to line in search of one byte.
const maxBreaks = 3

// A place is where a walk is: in the text, and in the pattern.
type place struct{ p, k int }

// oftenBack is how often a walk comes back before it notes where it was: most never do, and need no memory. Without it the
// ways through a run of escapes that can be read as pairs, as of a secret of backslashes, double with each of them.
const oftenBack = 8

// readsAsItIs says of a byte of a text that it can be read in no other way, and that no format breaks a text there.
func (k kind) readsAsItIs(c byte) bool {
	return isOrdinary[c] && (k == plainText || k == inBase64 || k == inBytes && c != ' ')
}

// goes compares the pattern from byte k on with the text from p on.
func (w *walk) goes(p, k int) bool {
	for k < len(w.pattern.text) {
		if w.steps--; w.steps < 0 {
			return false
		}
		if p >= len(w.view.text) {
			w.stops(p, k)
			return false
		}
		if c := w.view.text[p]; w.kind.readsAsItIs(c) {
			if canonical(c, w.kind) != w.pattern.text[k] {
				w.stops(p, k)
				return false
			}
			p, k = p+1, k+1
			continue
		}
		return w.forks(p, k)
	}
	w.end = p
	return true
}

// forks goes on in every way in which the text can be read at p.
func (w *walk) forks(p, k int) bool {
	if _, known := w.vain[place{p, k}]; known {
		return false
	}
	if w.finds(p, k) {
		return true
	}
	if w.backs++; w.backs > oftenBack && !w.stopped {
		if w.vain == nil {
			w.vain = map[place]struct{}{}
		}
		w.vain[place{p, k}] = struct{}{}
	}
	w.stops(p, k)
	return false
}

func (w *walk) finds(p, k int) bool {
	if c := w.view.text[p]; isOrdinary[c] {
		if canonical(c, w.kind) == w.pattern.text[k] && w.goes(p+1, k+1) {
			return true
		}
	} else {
		for _, r := range slices.Backward(w.view.readings(p)) { // the escape as a whole before its first character
			if n := w.fits(r.means, k); n > 0 && w.goes(r.next, k+n) {
				return true
			}
		}
	}
	return k > w.from && w.passes(p, k)
}

// passes goes on behind a break at p, if there is one.
func (w *walk) passes(p, k int) bool {
	behind := behindBreak(w.view.text, p, w.kind)
	if behind == p {
		behind = w.behindEscaped(p)
	}
	if behind == p {
		return false
	}
	at, breaks := w.brokenAt, w.breaks
	defer func() { w.brokenAt, w.breaks = at, breaks }()
	if w.brokenAt != k {
		w.brokenAt, w.breaks = k, 0
	}
	if w.breaks++; w.breaks > maxBreaks {
		w.stopped = true
		return false
	}
	if offset := behindOffset(w.view.text, behind); w.kind == inHex && offset > behind && w.goes(offset, k) {
		return true
	}
	return w.goes(behind, k)
}

// behindEscaped is where the text goes on behind the end of a line that is escaped at p, and p where none is.
func (w *walk) behindEscaped(p int) int {
	if !isIntroducer(w.view.text[p]) {
		return p
	}
	for _, r := range slices.Backward(w.view.readings(p)) {
		if r.means == "\n" || r.means == "\r" || r.means == "\x00" {
			return behindPrefix(w.view.text, r.next)
		}
	}
	return p
}

// fits is how many bytes of the pattern from k on a reading stands for; 0: it is another.
func (w *walk) fits(means string, k int) int {
	if len(means) > len(w.pattern.text)-k {
		return 0
	}
	for i := range len(means) {
		if canonical(means[i], w.kind) != w.pattern.text[k+i] {
			return 0
		}
	}
	return len(means)
}
