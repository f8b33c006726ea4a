// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/google/go-cmp/cmp"
)

func readFrames(keep int64, pieces ...[]byte) (frames []*Frame, brokenOff bool, lost error) {
	r := &FrameReader{Keep: keep, OnFrame: func(f *Frame) { frames = append(frames, f) }}
	for _, piece := range pieces {
		r.feed(piece)
	}
	return frames, r.end(), r.lost
}

func TestFrameReader(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte("x"), 70_000)
	tests := []struct {
		name    string
		in      []byte
		want    []string // heads
		payload string   // of the last frame
		broken  bool
	}{
		{"text", []byte("\x81\x02hi"), []string{"text, 2 bytes"}, "hi", false},
		{"empty", []byte("\x81\x00"), []string{"text, 0 bytes"}, "", false},
		{"masked by the executor", []byte("\x81\x82\x01\x02\x03\x04ik"), []string{"text, 2 bytes, masked"}, "hi", false},
		{"three fragments with a ping", []byte("\x01\x01a\x00\x01b\x89\x01p\x80\x01c"), []string{
			"text, 1 bytes, not final", "continuation, 1 bytes, not final", "ping, 1 bytes", "continuation, 1 bytes"}, "c", false},
		{"reserved bit", []byte("\xc1\x02hi"), []string{"text, 2 bytes, reserved bits 100"}, "hi", false},
		{"reserved opcode", []byte("\x83\x02hi"), []string{"opcode 0x3, 2 bytes"}, "hi", false},
		{"16-bit length", append([]byte("\x82\x7e\x00\x80"), long[:128]...), []string{"binary, 128 bytes"}, string(long[:128]), false},
		{"64-bit length", append([]byte("\x82\x7f\x00\x00\x00\x00\x00\x01\x11\x70"), long...),
			[]string{"binary, 70000 bytes"}, string(long), false},
		{"close", []byte("\x88\x05\x11\x30bye"), []string{`close, 5 bytes, code 4400 "bye"`}, "\x11\x30bye", false},
		{"payload breaks off", []byte("\x81\x05hel"), []string{"text, 3 of 5 bytes"}, "hel", true},
		{"nothing of the payload", []byte("\x81\x05"), []string{"text, 0 of 5 bytes"}, "", true},
		{"header breaks off", []byte("\x81\x7e\x01"), nil, "", true},
		{"nothing", nil, nil, "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			frames, broken, lost := readFrames(1<<20, test.in)
			if lost != nil {
				t.Fatal(lost)
			}
			var heads []string
			for _, f := range frames {
				heads = append(heads, f.Head())
			}
			if diff := cmp.Diff(test.want, heads); diff != "" {
				t.Errorf("frames (-want +got):\n%s", diff)
			}
			if broken != test.broken {
				t.Errorf("broken off: got %v, want %v", broken, test.broken)
			}
			if n := len(frames); n > 0 && string(frames[n-1].Payload) != test.payload {
				t.Errorf("payload: got %q, want %q", frames[n-1].Payload, test.payload)
			}
		})
	}
}

func TestFrameReaderNoticesLongerLengthsThanNeeded(t *testing.T) {
	t.Parallel()
	frames, _, _ := readFrames(100, []byte("\x81\x7e\x00\x02hi\x81\x02hi\x81\x7f\x00\x00\x00\x00\x00\x00\x00\x02hi"))
	var got []bool
	for _, f := range frames {
		got = append(got, f.minimal)
	}
	if diff := cmp.Diff([]bool{false, true, false}, got); diff != "" {
		t.Errorf("minimal (-want +got):\n%s", diff)
	}
}

func TestFrameReaderStopsAtALengthWithoutMeaning(t *testing.T) {
	t.Parallel()
	frames, _, lost := readFrames(100, []byte("\x81\x02hi\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff"), []byte("\x81\x02hi"))
	if len(frames) != 1 || lost == nil {
		t.Errorf("got %d frames and %v; want the one before, and an error", len(frames), lost)
	}
}

func TestFrameReaderKeepsNoMoreThanItShould(t *testing.T) {
	t.Parallel()
	frames, broken, _ := readFrames(4, []byte("\x81\x85\x01\x02\x03\x04"), []byte("ig"), []byte("ohn\x81\x02"), []byte("hi"))
	if broken || len(frames) != 2 {
		t.Fatalf("got %d frames, broken off %v", len(frames), broken)
	}
	if got := string(frames[0].Payload); got != "hell" {
		t.Errorf("kept %q, want %q", got, "hell")
	}
	if frames[0].Length != 5 || !frames[0].Whole() {
		t.Errorf("got length %d, whole %v", frames[0].Length, frames[0].Whole())
	}
	// A length that nobody can send costs nothing before the bytes come.
	frames, broken, _ = readFrames(math.MaxInt64, []byte("\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xffabc"))
	if !broken || len(frames) != 1 || string(frames[0].Payload) != "abc" {
		t.Errorf("got %d frames, broken off %v", len(frames), broken)
	}
}

func TestCloseBodies(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body   string
		code   int
		reason string
		lawful bool
	}{
		{"", 1005, "", true},
		{"\x03", 1005, "", false},
		{"\x03\xe8", 1000, "", true},
		{"\x03\xe8bye", 1000, "bye", true},
		{"\x11\x30", 4400, "", true},
		{"\x03\xe7", 999, "", false},
		{"\x03\xed", 1005, "", false},
		{"\x03\xee", 1006, "", false},
		{"\x03\xf7", 1015, "", false},
		{"\x07\xd0", 2000, "", false},
		{"\x13\x88", 5000, "", false},
		{"\x03\xe8\xc3\x28", 1000, "\xc3\x28", false},
		{"\x03\xe8" + strings.Repeat("x", 124), 1000, strings.Repeat("x", 124), false},
	}
	for _, test := range tests {
		f := &Frame{Header: ws.Header{OpCode: ws.OpClose, Fin: true, Length: int64(len(test.body))}, Payload: []byte(test.body), Got: int64(len(test.body))}
		code, reason, lawful := f.Closing()
		if code != test.code || reason != test.reason || lawful != test.lawful {
			t.Errorf("%q: got %d %q %v, want %d %q %v", test.body, code, reason, lawful, test.code, test.reason, test.lawful)
		}
	}
}

func TestSentFramesReadBack(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 1, 125, 126, 65535, 65536} {
		for _, masked := range []bool{true, false} {
			payload := bytes.Repeat([]byte("p"), size)
			out, err := SentFrame{Header: ws.Header{Fin: true, OpCode: ws.OpPing, Masked: masked, Rsv: 4}, Payload: payload}.Bytes()
			if err != nil {
				t.Fatal(err)
			}
			frames, broken, _ := readFrames(1<<20, out)
			if broken || len(frames) != 1 {
				t.Fatalf("size %d: got %d frames, broken off %v", size, len(frames), broken)
			}
			f := frames[0]
			if !bytes.Equal(f.Payload, payload) || f.Masked != masked || f.Rsv != 4 || f.OpCode != ws.OpPing || !f.minimal {
				t.Errorf("size %d: got %s", size, f.Head())
			}
		}
	}
}

// Whatever comes, and in whatever pieces: the frames are the same, nothing is kept beyond the bound, nothing panics.
func FuzzFrameReader(f *testing.F) {
	f.Add([]byte("\x81\x02hi\x89\x00\x8a\x01p\x88\x02\x03\xe8"), 3)
	f.Add([]byte("\x01\x01a\x80\x01b\x81\x82\x01\x02\x03\x04ik"), 1)
	f.Add([]byte("\x82\x7e\x00\x03abc\x82\x7f\x00\x00\x00\x00\x00\x00\x00\x01x"), 5)
	f.Add([]byte("\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff"), 2)
	f.Fuzz(func(t *testing.T, in []byte, size int) {
		const keep = 16
		whole, brokenWhole, lostWhole := readFrames(keep, in)
		var pieces [][]byte
		if size <= 0 || size > len(in) {
			size = 1
		}
		for rest := in; len(rest) > 0; {
			n := min(size, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		split, brokenSplit, lostSplit := readFrames(keep, pieces...)
		if brokenWhole != brokenSplit || (lostWhole == nil) != (lostSplit == nil) || len(whole) != len(split) {
			t.Fatalf("whole: %d frames %v %v; in pieces: %d frames %v %v",
				len(whole), brokenWhole, lostWhole, len(split), brokenSplit, lostSplit)
		}
		for i := range whole {
			if len(whole[i].Payload) > keep {
				t.Errorf("frame %d keeps %d bytes", i, len(whole[i].Payload))
			}
			if diff := cmp.Diff(whole[i].Value(), split[i].Value()); diff != "" {
				t.Errorf("frame %d (-whole +pieces):\n%s", i, diff)
			}
			if whole[i].Head() == "" {
				t.Error("a frame without a head")
			}
		}
	})
}
