// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"fmt"
	"slices"
)

var sequencesIncreaseWord = Word{
	Name: "sequences_increase",
	Means: "is everything a connection received, and the numbers of its live stream frames always go up, as do those of the " +
		"replayed ones (up to the head it found: one less than its own RoleAssigned, otherwise the current_sequence that it was given)",
	Takes:  Literal,
	Schema: justTrue,
	Judge: func(got, _ any) error {
		frames, h, err := framesWithHead(got)
		if err != nil {
			return err
		}
		if len(frames) == 0 {
			return &Problem{Seen: "has no stream frames"}
		}
		last := map[bool]ptyFrame{}
		for _, f := range frames {
			live := f.sequence > h
			before, had := last[live]
			if had && f.sequence <= before.sequence {
				return &Problem{Path: f.place(), Seen: fmt.Sprintf("has %s after %s in %s", f, before, before.place()),
					Wanted: map[bool]string{true: "live", false: "replayed"}[live] + " frames in increasing order"}
			}
			last[live] = f
		}
		return nil
	},
}

const listsSchema = `{"type": "array", "items": {}}`

var contiguousWord = Word{
	Name: "contiguous",
	Means: "is everything a connection received, and its numbers together with those of these other lists of frames have no gap " +
		"from this number on, and no number is used for two different frames",
	Takes: Named,
	Args: []Arg{
		{Name: "with", Takes: Literal, Required: true, Schema: listsSchema},
		{Name: "from", Takes: Literal, Required: true},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		others, err := listArgument("contiguous", args["with"])
		if err != nil {
			return err
		}
		from, err := numberArgument("contiguous", args["from"])
		if err != nil {
			return err
		}
		if _, err := ptyFrames(got); err != nil {
			return err
		}
		used := map[int64]ptyFrame{}
		for i, list := range slices.Concat([]any{got}, others) {
			frames, err := numbered(list)
			if err != nil {
				return fmt.Errorf("contiguous was given %s, not a list of frames", show(list))
			}
			if err := useNumbers(used, frames, from, i); err != nil {
				return err
			}
		}
		return gapIn(used, from)
	},
}

// numbered are all frames that carry a number, replies included; the greeting's is not of the counter.
func numbered(list any) ([]ptyFrame, error) {
	elements, is := list.([]any)
	if !is {
		return nil, fmt.Errorf("no list")
	}
	var frames []ptyFrame
	for i, element := range elements {
		f, is := ptyFrameOf(element)
		if envelope, isEnvelope := element.(map[string]any); !is && isEnvelope && envelope["op"] != "binding_hello" {
			f.kind, _ = envelope["op"].(string)
			f.payload = envelope["payload"]
			f.sequence, is = Whole(envelope["sequence"])
		}
		if is {
			f.index = i
			frames = append(frames, f)
		}
	}
	return frames, nil
}

func useNumbers(used map[int64]ptyFrame, frames []ptyFrame, from int64, list int) error {
	for _, f := range frames {
		if f.sequence < from {
			continue
		}
		first, twice := used[f.sequence]
		if !twice {
			used[f.sequence] = f
			continue
		}
		if contentDiffers(f, first) != nil {
			where := "list " + sequenceText(int64(list))
			if list == 0 {
				where = "this list"
			}
			return &Problem{Seen: fmt.Sprintf("has sequence %d twice, for different frames: %s, and %s in %s at %s",
				f.sequence, first.kind, f.kind, where, f.place())}
		}
	}
	return nil
}

func gapIn(used map[int64]ptyFrame, from int64) error {
	if len(used) == 0 {
		return &Problem{Seen: fmt.Sprintf("has no frames from sequence %d on", from)}
	}
	sequences := make([]int64, 0, len(used))
	for n := range used {
		sequences = append(sequences, n)
	}
	slices.Sort(sequences)
	next := from
	for _, n := range sequences {
		if n != next {
			return &Problem{Seen: fmt.Sprintf("has no sequence %d on any connection; the next one is %s", next, used[n])}
		}
		next++
	}
	return nil
}

var sameFramesAsWord = Word{
	Name: "same_frames_as",
	Means: "is everything a connection received, and its frames have the same content as those with the same number in this list " +
		"(output as bytes, in base64 or binary), and both have some in common; kinds are Output, Resize and MembershipChanged " +
		"unless others are named",
	Takes: Named,
	Args: []Arg{
		{Name: "of", Takes: Literal, Required: true},
		{Name: "kinds", Takes: Literal, Schema: `{"type": "array", "items": {"type": "string"}}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		others, err := witnessed("same_frames_as", args["of"])
		if err != nil {
			return err
		}
		kinds, err := kindsArgument("same_frames_as", args, "Output", "Resize", "MembershipChanged")
		if err != nil {
			return err
		}
		frames, err := ptyFrames(got)
		if err != nil {
			return err
		}
		other, common := bySequence(others), 0
		for _, f := range ofKinds(frames, kinds) {
			o, both := other[f.sequence]
			if !both {
				continue
			}
			common++
			if err := contentDiffers(f, o); err != nil {
				return frameProblem(f, "differs from the frame that another client has under that number", err)
			}
		}
		if common == 0 {
			return &Problem{Seen: fmt.Sprintf("has no frame of %s in common with the other list", listed(kinds, "or"))}
		}
		return nil
	},
}

func frameProblem(f ptyFrame, what string, err error) error {
	return &Problem{Path: f.place(), Seen: fmt.Sprintf("has %s, which %s: %v", f, what, err)}
}

var sameStreamAsWord = Word{
	Name: "same_stream_as",
	Means: "is everything a connection received, and from this number on, as far as both lists go, it has the same frames of these " +
		"kinds with the same content as this other list, none missing and none more",
	Takes: Named,
	Args: []Arg{
		{Name: "of", Takes: Literal, Required: true},
		{Name: "kinds", Takes: Literal, Required: true, Schema: `{"type": "array", "minItems": 1, "items": {"type": "string"}}`},
		{Name: "from", Takes: Literal, Required: true},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		others, err := witnessed("same_stream_as", args["of"])
		if err != nil {
			return err
		}
		kinds, err := textOrList("same_stream_as", args["kinds"])
		if err != nil {
			return err
		}
		from, err := numberArgument("same_stream_as", args["from"])
		if err != nil {
			return err
		}
		frames, err := ptyFrames(got)
		if err != nil {
			return err
		}
		to := min(highest(frames), highest(others))
		mine, theirs := within(ofKinds(frames, kinds), from, to), within(ofKinds(others, kinds), from, to)
		if len(theirs) == 0 && len(mine) == 0 {
			return &Problem{Seen: fmt.Sprintf("has no frame of %s from sequence %d on that both lists could have", listed(kinds, "or"), from)}
		}
		return sameList(mine, theirs)
	},
}

func highest(frames []ptyFrame) int64 {
	var n int64
	for _, f := range frames {
		n = max(n, f.sequence)
	}
	return n
}

func within(frames []ptyFrame, from, to int64) []ptyFrame {
	var chosen []ptyFrame
	for _, f := range frames {
		if from <= f.sequence && f.sequence <= to {
			chosen = append(chosen, f)
		}
	}
	return chosen
}

// behindNumber are the frames with a higher number.
func behindNumber(frames []ptyFrame, n int64) []ptyFrame {
	var chosen []ptyFrame
	for _, f := range frames {
		if f.sequence > n {
			chosen = append(chosen, f)
		}
	}
	return chosen
}

// sameList compares two lists of frames number by number.
func sameList(mine, theirs []ptyFrame) error {
	other, own := bySequence(theirs), bySequence(mine)
	for _, o := range theirs {
		if _, has := own[o.sequence]; !has {
			return &Problem{Seen: fmt.Sprintf("lacks %s, which another client has", o)}
		}
	}
	for _, f := range mine {
		o, has := other[f.sequence]
		if !has {
			return &Problem{Path: f.place(), Seen: fmt.Sprintf("has %s, which another client lacks", f)}
		}
		if err := contentDiffers(f, o); err != nil {
			return frameProblem(f, "differs from the frame that another client has under that number", err)
		}
	}
	return nil
}
