// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"
)

var keyframesAnchoredWord = Word{
	Name: "keyframes_anchored",
	Means: "is everything a connection received, with a Keyframe in it, and every Keyframe is anchored no earlier than the newest " +
		"Output or Resize before it and no later than itself, with no Output or Resize at or below its anchor after it",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		frames, err := ptyFrames(got)
		if err != nil {
			return err
		}
		var newest int64
		var anchored *ptyFrame
		var anchor int64
		for i := range frames {
			f := &frames[i]
			switch f.kind {
			case "Output", "Resize":
				if anchored != nil && f.sequence <= anchor {
					return &Problem{Path: f.place(), Seen: fmt.Sprintf("has %s after the Keyframe in %s", f, anchored.place()),
						Wanted: fmt.Sprintf("only frames after its anchor_sequence %d", anchor)}
				}
				newest = max(newest, f.sequence)
			case "Keyframe":
				n, is := Whole(MustPath("anchor_sequence").Find(f.payload))
				if !is || n < newest || n > f.sequence {
					return &Problem{Path: f.place() + ".payload.anchor_sequence", Seen: "is " + show(MustPath("anchor_sequence").Find(f.payload)),
						Wanted: fmt.Sprintf("%d, the newest Output or Resize before it, to %d, its own sequence", newest, f.sequence)}
				}
				anchored, anchor = f, n
			}
		}
		if anchored == nil {
			return &Problem{Seen: "has no Keyframe"}
		}
		return nil
	},
}

var keyframeAfterOutputsWord = Word{
	Name: "keyframe_after_outputs",
	Means: "is everything a connection received, and from its first Keyframe on no more Output frames than this (times a factor, " +
		"if one is given) come without another Keyframe, and there are more than that in all",
	Takes: Named,
	Args: []Arg{
		{Name: "most", Takes: Literal, Required: true},
		{Name: "times", Takes: Literal, Schema: `{"type": "number"}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		most, err := scaled("keyframe_after_outputs", args["most"], nil, args["times"])
		if err != nil {
			return err
		}
		frames, err := ptyFrames(got)
		if err != nil {
			return err
		}
		all, since, begun := 0, 0, false
		for _, f := range frames {
			switch f.kind {
			case "Keyframe":
				begun, since = true, 0
			case "Output":
				if !begun {
					continue
				}
				all, since = all+1, since+1
				if big.NewRat(int64(since), 1).Cmp(most) > 0 {
					return &Problem{Path: f.place(), Seen: fmt.Sprintf("has %s, the %s Output since the last Keyframe", f, ordinalText(since)),
						Wanted: "a Keyframe after at most " + most.RatString()}
				}
			}
		}
		if !begun {
			return &Problem{Seen: "has no Keyframe"}
		}
		if big.NewRat(int64(all), 1).Cmp(most) <= 0 {
			return fmt.Errorf("keyframe_after_outputs: %d Output frames are too few to see a Keyframe after %s of them", all, most.RatString())
		}
		return nil
	},
}

var keyframeWithinWord = Word{
	Name: "keyframe_within",
	Means: "is everything a connection received, and from its first Keyframe on, while output comes, no more seconds than this (plus " +
		"some more, times a factor) pass without another Keyframe; where output paused when one was due, they count from the output " +
		"that went on",
	Takes: Named,
	Args: []Arg{
		{Name: "seconds", Takes: Literal, Required: true},
		{Name: "plus", Takes: Literal, Schema: `{"type": "number"}`},
		{Name: "times", Takes: Literal, Schema: `{"type": "number"}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		most, err := scaled("keyframe_within", args["seconds"], args["plus"], args["times"])
		if err != nil {
			return err
		}
		frames, err := ptyFrames(got)
		if err != nil {
			return err
		}
		interval, _ := rational(args["seconds"])
		grace := new(big.Rat).Sub(most, interval)
		var last, due *time.Duration // due: the first output when a Keyframe was due; one that comes in a pause helps nobody
		var longest time.Duration
		for _, f := range frames {
			at, known := arrival(got.([]any)[f.index])
			if !known || f.kind != "Keyframe" && f.kind != "Output" {
				continue
			}
			if last != nil {
				longest = max(longest, at-*last)
				if due != nil && seconds(at-*due).Cmp(grace) > 0 {
					return &Problem{Path: f.place(), Seen: fmt.Sprintf("has %s %s after the last Keyframe", f, span((at - *last).Round(time.Millisecond))),
						Wanted: "a Keyframe within " + most.FloatString(1) + "s"}
				}
			}
			switch {
			case f.kind == "Keyframe":
				last, due = &at, nil
			case last != nil && due == nil && seconds(at-*last).Cmp(interval) >= 0:
				due = &at
			}
		}
		if last == nil {
			return &Problem{Seen: "has no Keyframe"}
		}
		if longest == 0 {
			return errors.New("keyframe_within: no output came after the first Keyframe")
		}
		return nil
	},
}

var outputsNumberWord = Word{
	Name: "outputs_number",
	Means: "is everything a connection received, and at least so many Output frames (times a factor, if one is given) came after its " +
		"first Keyframe",
	Takes: Named,
	Args: []Arg{
		{Name: "least", Takes: Literal, Required: true},
		{Name: "times", Takes: Literal, Schema: `{"type": "number"}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		least, err := scaled("outputs_number", args["least"], nil, args["times"])
		if err != nil {
			return err
		}
		outputs, err := outputsBehindKeyframe(got)
		if err != nil {
			return err
		}
		if big.NewRat(int64(len(outputs)), 1).Cmp(least) < 0 {
			return &Problem{Seen: "has " + count(len(outputs), "Output frame") + " after the first Keyframe", Wanted: "at least " + least.RatString()}
		}
		return nil
	},
}

var outputsLastWord = Word{
	Name: "outputs_last",
	Means: "is everything a connection received, and its last Output came at least so many seconds (times a factor, if one is given) " +
		"after the first one, after its first Keyframe",
	Takes: Named,
	Args: []Arg{
		{Name: "seconds", Takes: Literal, Required: true},
		{Name: "times", Takes: Literal, Schema: `{"type": "number"}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		least, err := scaled("outputs_last", args["seconds"], nil, args["times"])
		if err != nil {
			return err
		}
		outputs, err := outputsBehindKeyframe(got)
		if err != nil {
			return err
		}
		var lasted time.Duration
		if len(outputs) > 0 {
			first, _ := arrival(got.([]any)[outputs[0].index])
			last, _ := arrival(got.([]any)[outputs[len(outputs)-1].index])
			lasted = last - first
		}
		if big.NewRat(int64(lasted), int64(time.Second)).Cmp(least) < 0 {
			return &Problem{Seen: "has Output frames for " + span(lasted.Round(time.Millisecond)), Wanted: "for at least " + least.FloatString(1) + "s"}
		}
		return nil
	},
}

// outputsBehindKeyframe are the Output frames from the first Keyframe on.
func outputsBehindKeyframe(got any) ([]ptyFrame, error) {
	frames, err := ptyFrames(got)
	if err != nil {
		return nil, err
	}
	var outputs []ptyFrame
	begun := false
	for _, f := range frames {
		begun = begun || f.kind == "Keyframe"
		if begun && f.kind == "Output" {
			outputs = append(outputs, f)
		}
	}
	if !begun {
		return nil, &Problem{Seen: "has no Keyframe"}
	}
	return outputs, nil
}

var lossesToldWord = Word{
	Name: "losses_told",
	Means: "is everything a connection received, and wherever it lacks Output or Resize frames that this other connection had, it " +
		"has an Error PTY_OUTPUT_LAGGED, and the stream frame after each of those is a Keyframe",
	Takes: Named,
	Args:  []Arg{{Name: "of", Takes: Literal, Required: true}},
	Judge: func(got, want any) error {
		witness, err := witnessed("losses_told", want.(NamedArgs)["of"])
		if err != nil {
			return err
		}
		frames, joined, err := framesWithHead(got)
		if err != nil {
			return err
		}
		screen := []any{"Output", "Resize"}
		expected := ofKinds(behindNumber(witness, joined), screen)
		next, told := 0, false
		for i := range frames {
			f := &frames[i]
			code, _ := MustPath("code").Find(f.payload).(string)
			switch {
			case f.kind == "Error" && code == "PTY_OUTPUT_LAGGED":
				told = true
				if i+1 < len(frames) && frames[i+1].kind != "Keyframe" {
					after := frames[i+1]
					return &Problem{Path: after.place(), Seen: fmt.Sprintf("has %s right after PTY_OUTPUT_LAGGED", after), Wanted: "a Keyframe"}
				}
			case f.kind == "Output" || f.kind == "Resize":
				for ; next < len(expected) && expected[next].sequence < f.sequence; next++ {
					if !told {
						return &Problem{Path: f.place(), Seen: fmt.Sprintf("has %s, but not %s before it", f, expected[next]),
							Wanted: "an Error PTY_OUTPUT_LAGGED between them and the one before"}
					}
				}
				for next < len(expected) && expected[next].sequence == f.sequence {
					next++ // more than one under a number are no loss (PTY-096)
				}
				told = false
			}
		}
		return nil
	},
}

func seconds(d time.Duration) *big.Rat { return big.NewRat(int64(d), int64(time.Second)) }

// arrival is when a frame came, as the harness noted it in milliseconds.
func arrival(element any) (time.Duration, bool) {
	envelope, _ := element.(map[string]any)
	at, is := rational(envelope["@at"])
	if !is {
		return 0, false
	}
	ms, _ := at.Float64()
	return time.Duration(ms * float64(time.Millisecond)), true
}

// scaled is (n + plus) * times, where both may be left out.
func scaled(word string, n, plus, times any) (*big.Rat, error) {
	result, ok := rational(n)
	if !ok {
		return nil, fmt.Errorf("%s was given %s, not a number", word, show(n))
	}
	if more, given := rational(plus); given {
		result = new(big.Rat).Add(result, more)
	}
	if factor, given := rational(times); given {
		result = new(big.Rat).Mul(result, factor)
	}
	return result, nil
}

func ordinalText(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

var outputBytesWord = Word{
	Name:  "output_bytes",
	Means: "is everything a connection received, and the bytes of all its Output frames, JSON and binary, put together fit",
	Takes: Nested,
	Judge: func(got, want any) error {
		frames, err := ptyFrames(got)
		if err != nil {
			return err
		}
		output := []byte{}
		for _, f := range frames {
			if f.kind == "Output" {
				output = append(output, f.output...)
			}
		}
		err = want.(Value).Judge(output)
		if p, is := err.(*Problem); is {
			return &Problem{Seen: "has " + count(len(output), "byte") + " of output that " + p.Error()}
		}
		return err
	},
}

var containsBase64Word = Word{
	Name:   "contains_base64",
	Means:  "is raw bytes that contain the bytes that this padded base64 encodes",
	Takes:  Literal,
	Schema: `{"type": "string", "minLength": 1}`,
	Check: func(want any) error {
		text, err := textArgument("contains_base64", want)
		if err != nil {
			return err
		}
		return checkBase64(text)
	},
	Judge: func(got, want any) error {
		text, err := textArgument("contains_base64", want)
		if err != nil {
			return err
		}
		part, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return fmt.Errorf("contains_base64 was given %s: %w", show(want), err)
		}
		b, is := bytesOf(got)
		if is && bytes.Contains(b, part) {
			return nil
		}
		return seen(got, "bytes that contain "+show(part)+longestPrefix(b, part))
	},
}

// longestPrefix says how far a part that is not there is there.
func longestPrefix(b, part []byte) string {
	n := len(part)
	for n > 0 && !bytes.Contains(b, part[:n]) {
		n--
	}
	return fmt.Sprintf(" (%s of %d are there)", json.Number(fmt.Sprint(n)), len(part))
}
