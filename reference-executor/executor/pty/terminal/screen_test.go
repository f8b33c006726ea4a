// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// visible is what one sees of a screen, a line of text for each row and a last one for cursor and modes.
func (s *Screen) visible() []string {
	var rows []string
	for _, line := range s.lines() {
		var b strings.Builder
		for _, cell := range line {
			if blank(cell) {
				b.WriteByte(' ')
				continue
			}
			mode := cell.Mode & (attrReverse | attrUnderline | attrBold | attrItalic | attrBlink)
			fg := fmt.Sprint(cell.FG)
			if printable(cell.Char) == ' ' {
				fg = "" // the colour of a letter that is none
				mode &^= attrBold | attrItalic | attrBlink
			}
			fmt.Fprintf(&b, "%c<%d,%s,%d>", printable(cell.Char), mode, fg, cell.BG)
		}
		rows = append(rows, b.String())
	}
	c := s.term.Cursor()
	return append(rows, fmt.Sprintf("cursor %d,%d state %d pen %d,%d,%d mode %x margins %d-%d", c.X, c.Y, c.State&(cursorWrapNext|cursorOrigin),
		c.Attr.Mode, c.Attr.FG, c.Attr.BG, s.term.Mode(), s.top, s.bottom))
}

func TestSnapshotRepaints(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, before, after string }{
		{"text", "hello\r\nworld", "!\r\nmore"},
		{"a character cut in two", "caf\xc3", "\xa9 au lait"},
		{"a sequence cut in two", "a\x1b[3", "1mred"},
		{"a title cut in two", "a\x1b]0;my ti", "tle\ab"},
		{"colours", "\x1b[31mred \x1b[1;42mbold on green\x1b[0m plain \x1b[7mreverse\x1b[27m \x1b[38;5;200mpalette \x1b[48;2;1;2;3mrgb", "x\x1b[mplain"},
		{"bold keeps its colour", "\x1b[1;34mblue", " and on"},
		{"reversed blanks", "\x1b[7m   \x1b[K", "z"},
		{"cursor behind the last column", strings.Repeat("x", 20), "y"},
		{"cursor in the last column", strings.Repeat("x", 20) + "\b", "y"},
		{"no wrapping", "\x1b[?7l" + strings.Repeat("x", 25), "y"},
		{"scroll margins", "\x1b[2;4r\x1b[4;1Ha\r\nb", "\r\nc\r\nd\r\ne"},
		{"origin mode", "\x1b[2;4r\x1b[?6h\x1b[1;1Ha", "\x1b[2;2Hb"},
		{"alternate screen", "main\x1b[?1049h\x1b[2;2Halt", "\x1b[?1049lback"},
		{"left alternate screen", "main\x1b[?1049halt\x1b[?1049l", "x\x1b[?1049ly"},
		{"saved cursor", "ab\x1b7\x1b[31m\x1b[5;5Hxy", "\x1b8c"},
		{"line drawing", "\x1b(0lqk", "x\x1b(Bx"},
		{"hidden cursor and keypad", "\x1b[?25l\x1b[?1h\x1b=\x1b[?1006h", "a\x1b[?25h"},
		{"scrolling", "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7", "\r\n8"},
		{"wide text", "日本語 ünï", "語"},
		{"bytes that are no text", "\x80\xff\xfeabc", "\xc3("},
		{"unknown sequences", "\x1b[>4;2m\x1b[!p\x1b)0a\x1bP1$r\x1b\\b\x1b[31:2mc", "\x1b%Gd"},
		{"zero means one", "abcdef\x1b[1;3H\x1b[0@\x1b[0P\x1b[0X", "x"},
		{"absurd parameters", "abc\x1b[99999999999999999999@\x1b[9223372036854775807P\x1b[999999Bx", "\x1b[9223372036854775807Cy"},
		{"tabs", "a\tb\tc", "\td"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			checkRepaint(t, 20, 6, []byte(row.before), []byte(row.after))
		})
	}
}

// checkRepaint compares a screen that saw everything with one that was repainted in between.
func checkRepaint(t *testing.T, cols, rows int, before, after []byte) {
	t.Helper()
	whole, joined := NewScreen(cols, rows), NewScreen(cols, rows)
	joined.Write([]byte("left over\x1b[31m\x1b[3;4r\x1b[?1049h\x1b[?25l"))
	whole.Write(before)
	joined.Write(whole.Snapshot())
	if diff := cmp.Diff(whole.visible(), joined.visible()); diff != "" {
		t.Fatalf("repainted after %q (-whole +repainted):\n%s", before, diff)
	}
	whole.Write(after)
	joined.Write(after)
	if diff := cmp.Diff(whole.visible(), joined.visible()); diff != "" {
		t.Errorf("repainted after %q, then %q (-whole +repainted):\n%s", before, after, diff)
	}
}

// pieces are what random output is made of.
var pieces = []string{
	"a", "hello ", "\r\n", "\n", "\b", "\t", "é", "日", "\x1b[m", "\x1b[1m", "\x1b[7m", "\x1b[4;31m", "\x1b[38;5;99m", "\x1b[48;2;9;200;77m",
	"\x1b[H", "\x1b[3;7H", "\x1b[2J", "\x1b[K", "\x1b[1K", "\x1b[2L", "\x1b[M", "\x1b[3P", "\x1b[2@", "\x1b[4X", "\x1b[2S", "\x1b[T",
	"\x1b[2;4r", "\x1b[r", "\x1b7", "\x1b8", "\x1bM", "\x1bD", "\x1bE", "\x1b(0", "\x1b(B", "\x1b[?7l", "\x1b[?7h",
	"\x1b[?6h", "\x1b[?6l", "\x1b]2;t\a", "\x1b[20h", "\x1b[20l", "\x1b[", "\x1b", "\xe6\x97", "\xff", "\x1b[9999;9999H", "\x1bc",
}

func TestSnapshotRepaintsRandomOutput(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var output []byte
		for range 1 + r.IntN(40) {
			output = append(output, pieces[r.IntN(len(pieces))]...)
		}
		cut := r.IntN(len(output) + 1)
		checkRepaint(t, 2+r.IntN(20), 2+r.IntN(8), output[:cut], output[cut:])
		if t.Failed() {
			return
		}
	}
}

func TestScreenDoesNotMindWhereOutputIsCut(t *testing.T) {
	t.Parallel()
	output := []byte("日本\x1b[1;31mred\x1b]0;title\x1b\\ \x1b[?1049halt\x1b[?1049l\r\nend")
	whole := NewScreen(20, 6)
	whole.Write(output)
	single := NewScreen(20, 6)
	for _, b := range output {
		single.Write([]byte{b})
	}
	if diff := cmp.Diff(whole.visible(), single.visible()); diff != "" {
		t.Errorf("byte by byte (-whole +single):\n%s", diff)
	}
}

func TestResizeKeepsTextAndTabs(t *testing.T) {
	t.Parallel()
	s := NewScreen(20, 6)
	s.Write([]byte("kept"))
	s.Resize(60, 10)
	s.Write([]byte("\t\t\t\tx"))
	checkRepaint(t, 60, 10, s.Snapshot(), []byte("\r\t\t\t\t\ty"))
	if got := strings.Index(s.term.String(), "x"); got != 32 {
		t.Errorf("after four tabs x is in column %d, want 32", got)
	}
	if !strings.HasPrefix(s.term.String(), "kept") {
		t.Errorf("screen is %q", s.term.String())
	}
}

func TestSnapshotHoldsTextInOneRun(t *testing.T) {
	t.Parallel()
	s := NewScreen(120, 30)
	s.Write([]byte("echo 0123456789ab\n"))
	if !bytes.Contains(s.Snapshot(), []byte("echo 0123456789ab")) {
		t.Errorf("snapshot is %q", s.Snapshot())
	}
}

func FuzzScreen(f *testing.F) {
	for _, p := range pieces {
		f.Add([]byte(p), []byte("after"))
	}
	f.Fuzz(func(t *testing.T, before, after []byte) {
		s := NewScreen(10, 4)
		s.Write(before)
		s.Resize(13, 3)
		s.Write(after)
		NewScreen(13, 3).Write(s.Snapshot())
	})
}
