// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"cmp"
	"slices"
)

// leastRun is how many digits a run must have to be decoded: those of leastPart bytes in base64, without what is shared.
const leastRun = 10

// maxRun is how many digits are decoded at once. What is longer is looked at in pieces, each of which may end in the middle
// of a secret, as texts do.
const maxRun = 32 << 10

// A notation writes bytes by digits.
type notation struct {
	bits int // that a digit stands for
	// values are the digits of one character; nil: digits are decimal numbers.
	values *[256]byte
	// next is where the next digit may stand, behind one that ends at p and is the nth.
	next func(text string, p, n int) int
}

var notations = []notation{
	{6, &sextets, behindLine},
	{5, &quintets, behindLine},
	{4, &nibbles, behindByte},
	{4, &nibbles, behindColumn},
	{8, nil, behindNumber},
}

// noDigit stands in tables for characters that are no digits.
const noDigit = 0xff

var (
	sextets  = digits("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", map[byte]byte{'-': '+', '_': '/'})
	quintets = digits("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", nil)
	nibbles  = digits("0123456789abcdef", map[byte]byte{'A': 'a', 'B': 'b', 'C': 'c', 'D': 'd', 'E': 'e', 'F': 'f'})
)

// digits is a table of the digits of an alphabet, and of others that mean the same.
func digits(alphabet string, same map[byte]byte) (values [256]byte) {
	for c := range values {
		values[c] = noDigit
	}
	for i := range alphabet {
		values[alphabet[i]] = byte(i)
	}
	for c, as := range same {
		values[c] = values[as]
	}
	return values
}

// number reads a byte in decimal digits, and says where it ends: at p where there is none.
func number(text string, p int) (value byte, end int) {
	v := 0
	for end = p; end < len(text) && isDigit(text[end]) && end-p < 4; end++ {
		v = 10*v + int(text[end]-'0')
	}
	if end-p > 3 || v > 0xff {
		return 0, p
	}
	return byte(v), end
}

func behindLine(text string, p, _ int) int { return behindBreak(text, p, inBase64) }

// behindByte passes over what stands between two bytes of hex, each of which has two digits: little, or the end of a line.
func behindByte(text string, p, n int) int {
	if behind := behindColumn(text, p, n); behind-p <= maxBetween {
		return behind
	}
	return behindLine(text, p, n)
}

// maxBetween is how much stands between two bytes of one line of a dump: a comma, a space and 0x.
const maxBetween = 4

// behindColumn passes over the text beside a line of a dump, too. What such a run leaves out is none of a dump where there is no
// dump: behindByte leaves nothing out.
func behindColumn(text string, p, n int) int {
	if n%2 != 0 || p >= len(text) || nibbles[text[p]] != noDigit {
		return p
	}
	behind := behindSeparator(text, p)
	return max(behind, behindOffset(text, behind))
}

// behindNumber passes over what stands between two numbers of a list.
func behindNumber(text string, p, _ int) int {
	begin := p
	for p < len(text) && p-begin < 16 && (text[p] == ',' || text[p] == ';' || text[p] == ' ' || text[p] == '\n' || text[p] == '\r' || text[p] == '\t') {
		p++
	}
	return p
}

// A run is a row of digits, and where they stand.
type run struct {
	values []byte
	pieces []piece
}

// A piece is digits of a run, from the nth on, that stand without anything in between: of one character each, or a single one.
type piece struct {
	n int
	span
}

// gather reads the digits of a notation from p on, and says where they end.
func (r *run) gather(of *notation, text string, p int) (end int) {
	r.values, r.pieces = r.values[:0], r.pieces[:0]
	for end = p; p < len(text) && len(r.values) < maxRun; {
		n, begin := len(r.values), p
		if of.values == nil {
			v, behind := number(text, p)
			if behind > p {
				r.values, p = append(r.values, v), behind
			}
		} else {
			for p < len(text) && of.values[text[p]] != noDigit && len(r.values) < maxRun {
				r.values = append(r.values, of.values[text[p]])
				p++
			}
		}
		if p == begin {
			break
		}
		end = p
		r.pieces = append(r.pieces, piece{n, span{begin, end}})
		if p = of.next(text, end, len(r.values)); p == end {
			break
		}
	}
	return end
}

// stands is where the digits from one to another stand, both of them included.
func (r *run) stands(first, last int) span {
	a, b := r.piece(first), r.piece(last)
	to := b.to
	if b.to-b.from == r.length(b) { // digits of one character
		to = b.from + last - b.n + 1
	}
	return span{a.from + first - a.n, to}
}

// piece is the piece of a digit.
func (r *run) piece(n int) piece {
	i, is := slices.BinarySearchFunc(r.pieces, n, func(p piece, n int) int { return cmp.Compare(p.n, n) })
	if !is {
		i--
	}
	return r.pieces[i]
}

// length is how many digits a piece has.
func (r *run) length(p piece) int {
	i, _ := slices.BinarySearchFunc(r.pieces, p.n+1, func(p piece, n int) int { return cmp.Compare(p.n, n) })
	if i < len(r.pieces) {
		return r.pieces[i].n - p.n
	}
	return len(r.values) - p.n
}

// inside are the parts of a text that are, as a whole, a writing of something in which a secret stands, in any of its forms:
// of a JSON text in which it is escaped, or behind the name of its user, or of a dump. They are in their order.
func (m *matcher) inside(text string) []span {
	var all []span
	var r run
	var decoded []byte
	for i := range notations {
		of := &notations[i]
		for p := 0; p < len(text); {
			end := r.gather(of, text, p)
			if p = max(end, p+1); len(r.values)*of.bits < leastRun*6 {
				continue
			}
			for first := 0; first == 0 || first*of.bits%8 != 0; first++ { // whatever stands in front shifts the bytes
				decoded = bytesOf(decoded[:0], r.values[first:], of.bits)
				m.among(decoded, func(found span) {
					all = append(all, r.stands(first+found.from*8/of.bits, first+(found.to*8-1)/of.bits))
				})
			}
		}
	}
	return merged(all)
}

// bytesOf are the bytes that digits of so many bits stand for.
func bytesOf(all, values []byte, bits int) []byte {
	held, n := uint(0), 0
	for _, v := range values {
		held, n = held<<bits|uint(v), n+bits
		if n >= 8 {
			n -= 8
			all = append(all, byte(held>>n))
		}
	}
	return all
}

// among finds secrets in what was decoded. Most of it is no text, but what stood there was no such writing; only texts are
// looked at.
func (m *matcher) among(decoded []byte, found func(span)) {
	for i := 0; i < len(decoded); i++ {
		begin := i
		for i < len(decoded) && isWritten[decoded[i]] {
			i++
		}
		if i-begin < leastPart {
			continue
		}
		for _, part := range m.found(string(decoded[begin:i])) {
			found(span{begin + part.from, begin + part.to})
		}
	}
}

// isWritten says of bytes that they stand in texts: of ASCII, or UTF-16.
var isWritten = func() (written [256]bool) {
	for c := range 256 {
		written[c] = c >= ' ' && c <= '~' || c == '\t' || c == '\n' || c == '\r' || c == 0
	}
	return written
}()

// merged are parts in their order, those that overlap as one.
func merged(parts []span) []span {
	slices.SortFunc(parts, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	all := parts[:0]
	for _, part := range parts {
		if n := len(all); n > 0 && part.from < all[n-1].to {
			all[n-1].to = max(all[n-1].to, part.to)
			continue
		}
		all = append(all, part)
	}
	return all
}
