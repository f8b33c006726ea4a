// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/hinshun/vt10x"
)

// SnapshotFormat is the name the contract gives to bytes that repaint a screen.
const SnapshotFormat = "vt100-screen-state-v1"

// The attribute bits of vt10x, which does not export them.
const (
	attrReverse = 1 << iota
	attrUnderline
	attrBold
	attrGraphics
	attrItalic
	attrBlink
	attrWrapped
)

const (
	cursorWrapNext = 2
	cursorOrigin   = 4
)

// Snapshot returns bytes that, written to a terminal of the same size in whatever state, make it show this screen with
// its cursor, attributes and modes. What was read but is incomplete comes last, for its rest to follow.
func (s *Screen) Snapshot() []byte {
	var p painter
	cols, rows := s.term.Size()
	p.text("\x1bc")
	if s.alternate() {
		p.lines(s.beneath, cols, rows)
		p.cursor(s.left, 0, s.beneath)
		p.text("\x1b[?1049h\x1b[m\x1b(B\x1b[2J")
		p.pen = blankGlyph
	}
	shown := s.lines()
	p.lines(shown, cols, rows)
	if title := s.term.Title(); title != "" {
		p.text("\x1b]2;" + title + "\a")
	}
	if s.saved != nil {
		saved := *s.saved
		saved.State &^= cursorWrapNext
		p.cursor(saved, 0, shown)
		p.text("\x1b7\x1b[?6l\x1b(B")
	}
	p.margins(s.top, s.bottom, rows)
	p.modes(s.term.Mode(), s.bracketed)
	p.cursor(s.term.Cursor(), s.top, shown)
	p.Write(s.reader.waiting)
	return p.Bytes()
}

// A painter writes what paints.
type painter struct {
	bytes.Buffer
	pen vt10x.Glyph
}

func (p *painter) text(s string) { p.WriteString(s) }

// lines paints rows of cells; blanks at the end of a row are left as they are after a reset.
func (p *painter) lines(lines []screenLine, cols, rows int) {
	for y, line := range lines[:min(rows, len(lines))] {
		line = line[:min(cols, len(line))]
		end := len(line)
		for end > 0 && blank(line[end-1]) {
			end--
		}
		if end == 0 {
			continue
		}
		fmt.Fprintf(p, "\x1b[%d;1H\x1b[m", y+1)
		p.pen = blankGlyph
		for _, cell := range line[:end] {
			p.cell(cell)
		}
	}
	p.text("\x1b[m")
	p.pen = blankGlyph
}

var blankGlyph = vt10x.Glyph{Char: ' ', FG: vt10x.DefaultFG, BG: vt10x.DefaultBG}

func blank(g vt10x.Glyph) bool {
	return printable(g.Char) == ' ' && g.Mode&(attrReverse|attrUnderline) == 0 && g.BG == vt10x.DefaultBG
}

func (p *painter) cell(g vt10x.Glyph) {
	p.attributes(pen(g))
	p.WriteRune(printable(g.Char))
}

// pen is what a cell was painted with: vt10x swaps the colours of a reversed cell when it stores it.
func pen(g vt10x.Glyph) vt10x.Glyph {
	g.Mode &= attrReverse | attrUnderline | attrBold | attrItalic | attrBlink
	if g.Mode&attrReverse != 0 {
		g.FG, g.BG = g.BG, g.FG
	}
	return g
}

func (p *painter) attributes(want vt10x.Glyph) {
	if want.Mode == p.pen.Mode && want.FG == p.pen.FG && want.BG == p.pen.BG {
		return
	}
	p.text("\x1b[0")
	for _, a := range []struct{ bit, code int }{
		{attrBold, 1}, {attrItalic, 3}, {attrUnderline, 4}, {attrBlink, 5}, {attrReverse, 7},
	} {
		if int(want.Mode)&a.bit != 0 {
			fmt.Fprintf(p, ";%d", a.code)
		}
	}
	p.colour(want.FG, 30)
	p.colour(want.BG, 40)
	p.text("m")
	p.pen = want
}

// colour writes a colour relative to 30 (foreground) or 40 (background).
func (p *painter) colour(c vt10x.Color, base int) {
	switch {
	case c >= vt10x.DefaultFG:
	case c < 8:
		fmt.Fprintf(p, ";%d", base+int(c))
	case c < 16:
		fmt.Fprintf(p, ";%d", base+60+int(c)-8)
	case c < 256:
		fmt.Fprintf(p, ";%d;5;%d", base+8, c)
	default:
		fmt.Fprintf(p, ";%d;2;%d;%d;%d", base+8, c>>16&255, c>>8&255, c&255)
	}
}

// printable never lets a cell become a control character.
func printable(r rune) rune {
	if r < ' ' || r >= 0x7f && r < 0xa0 || !utf8.ValidRune(r) {
		return ' '
	}
	return r
}

func (p *painter) margins(top, bottom, rows int) {
	if top != 0 || bottom != rows-1 {
		fmt.Fprintf(p, "\x1b[%d;%dr", top+1, bottom+1)
	}
}

func (p *painter) modes(mode vt10x.ModeFlag, bracketed bool) {
	for _, m := range []struct {
		on  bool
		set string
	}{
		{mode&vt10x.ModeAppCursor != 0, "\x1b[?1h"},
		{mode&vt10x.ModeReverse != 0, "\x1b[?5h"},
		{mode&vt10x.ModeHide != 0, "\x1b[?25l"},
		{mode&vt10x.ModeMouseX10 != 0, "\x1b[?9h"},
		{mode&vt10x.ModeMouseButton != 0, "\x1b[?1000h"},
		{mode&vt10x.ModeMouseMotion != 0, "\x1b[?1002h"},
		{mode&vt10x.ModeMouseMany != 0, "\x1b[?1003h"},
		{mode&vt10x.ModeFocus != 0, "\x1b[?1004h"},
		{mode&vt10x.ModeMouseSgr != 0, "\x1b[?1006h"},
		{bracketed, "\x1b[?2004h"},
		{mode&vt10x.ModeInsert != 0, "\x1b[4h"},
		{mode&vt10x.ModeCRLF != 0, "\x1b[20h"},
		{mode&vt10x.ModeAppKeypad != 0, "\x1b="},
	} {
		if m.on {
			p.text(m.set)
		}
	}
	if mode&vt10x.ModeWrap == 0 {
		p.text("\x1b[?7l")
	}
}

// cursor moves the cursor and sets what the next character is painted with. A cursor that waits behind the last column
// gets there by painting that column again.
func (p *painter) cursor(c vt10x.Cursor, top int, lines []screenLine) {
	y := c.Y
	if c.State&cursorOrigin != 0 {
		p.text("\x1b[?6h")
		y -= top
	}
	fmt.Fprintf(p, "\x1b[%d;%dH", y+1, c.X+1)
	if c.State&cursorWrapNext != 0 && c.Y < len(lines) && c.X < len(lines[c.Y]) {
		p.cell(lines[c.Y][c.X])
	}
	attr := c.Attr
	attr.Mode &= attrReverse | attrUnderline | attrBold | attrItalic | attrBlink
	p.pen = vt10x.Glyph{Mode: -1}
	p.attributes(attr)
	if c.Attr.Mode&attrGraphics != 0 {
		p.text("\x1b(0")
	}
}
