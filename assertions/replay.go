// SPDX-License-Identifier: Apache-2.0

package assertions

import "fmt"

var replayWord = Word{
	Name: "replay",
	Means: "is everything a connection received after it joined again, and the frames that this other connection (the witness) got " +
		"after the cursor, up to the head of the session at the join, are all there in increasing order; kinds are Output, " +
		"Resize, MembershipChanged and TaskStatusUpdate unless others are named",
	Takes: Named,
	Args: []Arg{
		{Name: "of", Takes: Literal, Required: true},
		{Name: "after", Takes: Literal, Required: true},
		{Name: "kinds", Takes: Literal, Schema: `{"type": "array", "items": {"type": "string"}}`},
	},
	Judge: func(got, want any) error {
		args := want.(NamedArgs)
		witness, err := witnessed("replay", args["of"])
		if err != nil {
			return err
		}
		after, err := numberArgument("replay", args["after"])
		if err != nil {
			return err
		}
		kinds, err := kindsArgument("replay", args, "Output", "Resize", "MembershipChanged", "TaskStatusUpdate")
		if err != nil {
			return err
		}
		frames, h, err := framesWithHead(got)
		if err != nil {
			return err
		}
		missed := ofKinds(behindNumber(witness, after), kinds)
		if len(missed) == 0 {
			return fmt.Errorf("replay was given a witness with no frames of %s after sequence %d", listed(kinds, "or"), after)
		}
		return replayed(frames, missed, h)
	},
}

// replayed says no to the first missed frame that was not sent again, and to frames sent again in another order.
func replayed(frames, missed []ptyFrame, h int64) error {
	again := bySequence(frames)
	expected := 0
	for _, m := range missed {
		if m.sequence > h {
			continue
		}
		expected++
		if f, sent := again[m.sequence]; !sent {
			return &Problem{Seen: fmt.Sprintf("lacks %s: sequence %d was not replayed", m, m.sequence)}
		} else if f.kind != m.kind {
			return &Problem{Path: f.place(), Seen: fmt.Sprintf("has %s, but the witness had %s: sequence %d was not replayed", f, m, m.sequence)}
		}
	}
	if expected == 0 {
		return &Problem{Seen: fmt.Sprintf("joined at head %d, although another client had received %s before", h, missed[0])}
	}
	var before *ptyFrame
	for i := range frames {
		f := &frames[i]
		if f.sequence > h {
			continue
		}
		if before != nil && f.sequence <= before.sequence {
			return &Problem{Path: f.place(), Seen: fmt.Sprintf("has %s, but %s came before it in %s", f, before, before.place()), Wanted: "increasing order"}
		}
		before = f
	}
	return nil
}

var replayAfterWord = Word{
	Name:  "replay_after",
	Means: "is everything a connection received after it joined again, and no stream frame in it has this number or a lower one",
	Takes: Literal,
	Judge: func(got, want any) error {
		cursor, err := numberArgument("replay_after", want)
		if err != nil {
			return err
		}
		frames, err := ptyFrames(got)
		if err != nil {
			return err
		}
		if len(frames) == 0 {
			return &Problem{Seen: "has no stream frames"}
		}
		for _, f := range frames {
			if f.sequence <= cursor {
				return &Problem{Path: f.place(), Seen: fmt.Sprintf("has %s: sequence %d was already seen", f, f.sequence), Wanted: fmt.Sprintf("only frames after %d", cursor)}
			}
		}
		return nil
	},
}

var noReplayWord = Word{
	Name:   "no_replay",
	Means:  "is everything a connection received after it joined, and no frame but a Keyframe is from before the join",
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
		for _, f := range frames {
			if f.sequence <= h && f.kind != "Keyframe" {
				return &Problem{Path: f.place(), Seen: fmt.Sprintf("has %s from before the join", f), Wanted: fmt.Sprintf("only frames after %d", h)}
			}
		}
		return nil
	},
}

var replayUnalteredWord = Word{
	Name: "replay_unaltered",
	Means: "is everything a connection received after it joined again, and every replayed frame that the witness, whose frames " +
		"these are, has too has the same content, and both have one in common",
	Takes: Literal,
	Judge: func(got, want any) error {
		return eachReplayed("replay_unaltered", got, want, func(f, original ptyFrame) error {
			if err := contentDiffers(f, original); err != nil {
				return frameProblem(f, "differs from what was first sent", err)
			}
			return nil
		})
	},
}

var replayTSWord = Word{
	Name: "replay_ts",
	Means: "is everything a connection received after it joined again, and every replayed frame that the witness, whose frames " +
		"these are, has too has the same ts where both are RFC 3339 date-times, and both have one in common",
	Takes: Literal,
	Judge: func(got, want any) error {
		return eachReplayed("replay_ts", got, want, func(f, original ptyFrame) error {
			if f.binary || original.binary || equal(f.ts, original.ts) || !IsDateTime(f.ts) || !IsDateTime(original.ts) {
				return nil
			}
			return &Problem{Path: f.place(), Seen: fmt.Sprintf("has %s with ts %s", f, show(f.ts)), Wanted: show(original.ts) + " as first sent"}
		})
	},
}

func eachReplayed(word string, got, want any, judge func(f, original ptyFrame) error) error {
	witness, err := witnessed(word, want)
	if err != nil {
		return err
	}
	frames, h, err := framesWithHead(got)
	if err != nil {
		return err
	}
	originals, common := bySequence(witness), 0
	for _, f := range frames {
		original, had := originals[f.sequence]
		if f.sequence > h || !had {
			continue
		}
		common++
		if err := judge(f, original); err != nil {
			return err
		}
	}
	if common == 0 {
		return &Problem{Seen: "has no replayed frame that the witness had too"}
	}
	return nil
}

var sameReplayAsWord = Word{
	Name: "same_replay_as",
	Means: "is everything a connection received after it joined again, and its replayed frames, up to the lower of both heads and " +
		"apart from RoleAssigned and Keyframe, are those of this other list that was replayed",
	Takes: Literal,
	Judge: func(got, want any) error {
		other, otherHead, err := framesWithHead(want)
		if err != nil {
			return fmt.Errorf("same_replay_as was given frames that cannot be used: %v", err)
		}
		frames, h, err := framesWithHead(got)
		if err != nil {
			return err
		}
		to := min(h, otherHead)
		mine, theirs := broadcast(within(frames, 0, to)), broadcast(within(other, 0, to))
		if len(mine) == 0 && len(theirs) == 0 {
			return &Problem{Seen: "has no replayed frames, nor has the other list"}
		}
		return sameList(mine, theirs)
	},
}

// broadcast leaves out the frames that are for one client alone.
func broadcast(frames []ptyFrame) []ptyFrame {
	var chosen []ptyFrame
	for _, f := range frames {
		if f.kind != "RoleAssigned" && f.kind != "Keyframe" {
			chosen = append(chosen, f)
		}
	}
	return chosen
}
