// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"fmt"
	"strings"

	"github.com/hinshun/vt10x"
)

// A Screen is the terminal emulator behind the keyframes. It reads what the process prints and can say at any time
// which bytes paint the same screen on another terminal.
//
// vt10x does the emulation. In front of it stands a reader of our own (see screenReader) that hands over complete
// characters and sequences only, and repairs or drops those that vt10x misunderstands. What vt10x knows but does not
// tell, such as scroll margins, is remembered here.
type Screen struct {
	term   vt10x.Terminal
	reader screenReader

	top, bottom int // scroll margins
	saved       *vt10x.Cursor
	bracketed   bool         // bracketed paste mode, which vt10x does not know
	beneath     []screenLine // the main screen while the alternate one is shown
	left        vt10x.Cursor // where the cursor was when the main screen was left
}

type screenLine []vt10x.Glyph

// NewScreen returns an empty screen of that size.
func NewScreen(cols, rows int) *Screen {
	s := &Screen{term: vt10x.New(vt10x.WithSize(cols, rows)), bottom: rows - 1}
	s.reader.plain = s.print
	s.reader.sequence = s.obey
	return s
}

// Write takes output; a character or sequence may be cut anywhere.
func (s *Screen) Write(data []byte) { s.reader.read(data) }

func (s *Screen) print(text []byte) { _, _ = s.term.Write(text) }

// obey takes one complete escape sequence.
func (s *Screen) obey(q escape) {
	switch q.kind {
	case escapeShort:
		s.obeyShort(q)
	case escapeCSI:
		s.obeyCSI(q)
	case escapeTitle:
		s.print([]byte("\x1b]2;" + q.text + "\a"))
	}
}

func (s *Screen) obeyShort(q escape) {
	switch q.text {
	case "7":
		s.save()
	case "c":
		s.top, s.bottom = 0, s.rows()-1
		s.saved, s.beneath, s.bracketed = nil, nil, false
		if s.alternate() {
			s.print([]byte("\x1b[?1047l"))
		}
		s.print([]byte("\x1b[?6l\x1b[m\x1b[2J")) // vt10x mixes up columns and rows when it clears
	}
	s.erase("\x1b" + q.text)
}

// erase prints a sequence that may leave blanks. vt10x would paint them underlined, reversed and so on; what is erased
// has a background only.
func (s *Screen) erase(sequence string) {
	mode := s.term.Cursor().Attr.Mode &^ (attrGraphics | attrWrapped)
	if mode == 0 || strings.HasPrefix(sequence, "\x1b(") || sequence == "\x1b7" || sequence == "\x1b8" || sequence == "\x1bc" {
		s.print([]byte(sequence))
		return
	}
	off, on := "", ""
	for _, a := range []struct {
		bit     int16
		on, off string
	}{{attrBold, "1", "22"}, {attrItalic, "3", "23"}, {attrUnderline, "4", "24"}, {attrBlink, "5", "25"}, {attrReverse, "7", "27"}} {
		if mode&a.bit != 0 {
			off += "\x1b[" + a.off + "m"
			on += "\x1b[" + a.on + "m"
		}
	}
	s.print([]byte(off + sequence + on))
}

func (s *Screen) obeyCSI(q escape) {
	switch {
	case q.private && (q.final == 'h' || q.final == 'l'):
		for _, mode := range q.params {
			s.setMode(mode, q.final == 'h')
		}
		return
	case q.private:
		return
	case q.final == 'r':
		s.setMargins(q)
		return
	case q.final == 's':
		s.save()
	}
	if strings.IndexByte("@JKLMPSTX", q.final) >= 0 {
		s.erase(q.String())
		return
	}
	s.print([]byte(q.String()))
}

func (s *Screen) setMargins(q escape) {
	top, bottom := q.param(0, 1)-1, q.param(1, s.rows())-1
	bottom = min(bottom, s.rows()-1)
	if top >= bottom {
		return
	}
	s.top, s.bottom = top, bottom
	s.print(fmt.Appendf(nil, "\x1b[%d;%dr", top+1, bottom+1))
}

// setMode sets one private mode. vt10x toggles the screen when it is told to leave an alternate screen it is not on.
func (s *Screen) setMode(mode int, on bool) {
	final := map[bool]byte{true: 'h', false: 'l'}[on]
	switch mode {
	case 47, 1047, 1049:
		if on == s.alternate() {
			return
		}
		if on {
			s.beneath, s.left = s.lines(), s.term.Cursor()
		} else {
			s.beneath = nil
		}
		if on && mode == 1049 {
			s.save()
		}
	case 1048:
		if on {
			s.save()
		}
	case 2004:
		s.bracketed = on
	}
	sequence := fmt.Sprintf("\x1b[?%d%c", mode, final)
	if mode == 47 || mode == 1047 {
		s.erase(sequence)
		return
	}
	s.print([]byte(sequence))
}

func (s *Screen) save() {
	cursor := s.term.Cursor()
	s.saved = &cursor
}

func (s *Screen) alternate() bool { return s.term.Mode()&vt10x.ModeAltScreen != 0 }

// Size is the geometry of the screen.
func (s *Screen) Size() (cols, rows int) { return s.term.Size() }

func (s *Screen) rows() int {
	_, rows := s.term.Size()
	return rows
}

// Resize changes the geometry. vt10x forgets tab stops in columns that are new.
func (s *Screen) Resize(cols, rows int) {
	before, _ := s.term.Size()
	s.term.Resize(cols, rows)
	s.top, s.bottom = 0, rows-1
	cursor := s.term.Cursor()
	for x := (before + 7) / 8 * 8; x < cols; x += 8 {
		s.print(fmt.Appendf(nil, "\x1b[%d;%dH\x1bH", cursor.Y+1, x+1))
	}
	s.print(fmt.Appendf(nil, "\x1b[%d;%dH", cursor.Y+1, cursor.X+1))
}

// lines copies the cells of the screen that is shown.
func (s *Screen) lines() []screenLine {
	cols, rows := s.term.Size()
	lines := make([]screenLine, rows)
	for y := range lines {
		lines[y] = make(screenLine, cols)
		for x := range lines[y] {
			lines[y][x] = s.term.Cell(x, y)
		}
	}
	return lines
}
