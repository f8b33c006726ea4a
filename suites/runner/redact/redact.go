// SPDX-License-Identifier: Apache-2.0

// Package redact takes secrets out of texts, however they are written there.
//
// A list of encodings is never complete: a token can stand percent-escaped in a URL that is quoted in JSON that is a member
// of other JSON. So encodings are not listed but read. There are two kinds, and
// a mixture of them:
//
//   - Those that write each character for itself (percent, JSON, HTML, C and quoted-printable escapes, in either case and
//     one inside the other) are undone while a text is compared with a secret: each character of the text is read in
//     every way that it can be meant (spelling.go). Breaks that formats put between characters (folded lines, "data:" of
//     event streams, soft breaks) are passed over (breaks.go).
//   - Those that write a secret as a whole (base64 at its three offsets, hex, lists of bytes) are patterns beside the
//     secret itself, and so are they of its escaped forms and of each other (patterns.go). Patterns are compared like the
//     secret, so each of them can be escaped again.
//   - What may be such a writing of something longer, in which a secret stands in whatever form, is also read (inside.go),
//     and so are dumps, wherever they are cut (dumps.go).
//
// Letters are compared without case, since what looks for secrets may see a text that somebody has folded. A text may
// also hold one end of a secret: one that was cut, or a piece of a stream or of several frames (partial.go).
package redact

import (
	"slices"
	"strings"
	"sync"
)

// Mark stands for what was taken out.
const Mark = "[redacted]"

// Least is how many bytes a secret must have to be looked for in texts. A shorter one would turn up by chance in words that
// are none of its business.
const Least = 4

// A Finder takes secrets out of texts. The zero value knows none. It may be used by many goroutines at once.
type Finder struct {
	mu      sync.Mutex
	secrets []string
	fresh   int               // how many of them, the last ones, are not in made
	made    *matcher          // nil: nothing was looked for so far
	short   map[string]string // short texts, and what became of them; of this matcher
}

// Short texts come again and again: the values of headers, ids, the names of what is asked.
const (
	shortText  = 256  // bytes
	shortTexts = 2048 // that are kept
)

// Learn adds secrets; those that are known, or shorter than Least, are passed over.
func (f *Finder) Learn(secrets ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, secret := range secrets {
		if len(secret) >= Least && !slices.Contains(f.secrets, secret) {
			f.secrets = append(f.secrets, secret)
			f.fresh++
		}
	}
}

// Clean is a text with Mark in the place of every secret, of every spelling of one, and of every end of one at an end of
// the text or before the marks that cut texts have.
func (f *Finder) Clean(text string) string {
	if text == "" {
		return text
	}
	m, clean := f.matcher(text)
	if m == nil {
		return clean
	}
	clean = marked(text, m.found(text))
	clean = marked(clean, m.inside(clean))
	f.keep(m, text, clean)
	return clean
}

// keep notes what became of a short text.
func (f *Finder) keep(m *matcher, text, clean string) {
	if len(text) > shortText {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.made != m || f.fresh > 0 {
		return
	}
	if f.short == nil || len(f.short) >= shortTexts {
		f.short = map[string]string{}
	}
	f.short[strings.Clone(text)] = strings.Clone(clean) // neither keeps what it was a part of
}

// A span is a part of a text, from a byte to behind another.
type span struct{ from, to int }

// marked is a text with Mark in the place of some parts, which are in their order.
func marked(text string, parts []span) string {
	if len(parts) == 0 {
		return text
	}
	var clean strings.Builder
	kept := 0
	for _, part := range parts {
		clean.WriteString(text[kept:part.from])
		clean.WriteString(Mark)
		kept = part.to
	}
	clean.WriteString(text[kept:])
	return clean.String()
}

// found are the parts of a text that are patterns, or dumps of one, in their order.
func (m *matcher) found(text string) []span { return merged(append(m.spans(text), m.dumped(text)...)) }

// spans are the parts of a text that are patterns, or ends of patterns at an end of the text. Where one ends another may have begun: a
// secret without its last character stands before one that begins with that character.
func (m *matcher) spans(text string) []span {
	v := &view{text: text}
	var all []span
	if end := m.tail(v); end > 0 {
		all = append(all, span{0, end})
	}
	for i := range len(text) {
		end := m.at(v, i)
		switch last := len(all) - 1; {
		case end <= i:
		case last < 0 || i >= all[last].to:
			all = append(all, span{i, end})
		default:
			all[last].to = max(all[last].to, end)
		}
	}
	return all
}

// matcher is what a text is looked through with; nil where what becomes of the text is known already.
func (f *Finder) matcher(text string) (m *matcher, clean string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fresh > 0 {
		before := f.made
		if before == nil {
			before = &matcher{known: map[pattern]bool{}, heads: map[uint16][]*pattern{}}
		}
		f.made, f.fresh, f.short = before.with(f.secrets[len(f.secrets)-f.fresh:]), 0, nil
	}
	if f.made == nil {
		return nil, text
	}
	if known, is := f.short[text]; is {
		return nil, known
	}
	return f.made, ""
}

// Plain says whether a secret looks like a word that people write, so that taking it out of every text would take out
// other things as well, or like a rule drawn of one or two characters. Such a secret is taken out only where it stands as a
// word of its own.
func Plain(secret string) bool {
	if strings.Trim(secret, secret[:min(1, len(secret))]+secret[max(0, len(secret)-1):]) == "" {
		return true
	}
	if len(secret) >= 16 {
		return false
	}
	for _, c := range []byte(secret) {
		if !isLetter(c) && c != '-' && c != '_' && c != '.' && c != ' ' {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80 }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
