// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
)

// A ptyFrame is one frame of a terminal session that takes a number of the session's counter: a JSON frame or a binary
// output message.
type ptyFrame struct {
	index    int // in the list of all frames of its connection
	sequence int64
	kind     string // "Output", "Keyframe", "TaskStatusUpdate"
	payload  any
	output   []byte // the bytes of an Output frame
	binary   bool
	ts       any
}

// ptyFrames picks the stream frames out of everything a connection received. What has no usable number is left to the
// requirements about the envelope.
func ptyFrames(got any) ([]ptyFrame, error) {
	list, is := got.([]any)
	if !is {
		return nil, seen(got, "a list of frames")
	}
	var frames []ptyFrame
	for i, element := range list {
		if f, is := ptyFrameOf(element); is {
			f.index = i
			frames = append(frames, f)
		}
	}
	return frames, nil
}

func ptyFrameOf(element any) (ptyFrame, bool) {
	envelope, is := element.(map[string]any)
	if !is {
		return ptyFrame{}, false
	}
	if message, is := envelope["binary"].(map[string]any); is {
		sequence, numbered := Whole(message["sequence"])
		text, _ := message["base64"].(string)
		output, err := base64.StdEncoding.DecodeString(text)
		return ptyFrame{sequence: sequence, kind: "Output", output: output, binary: true}, numbered && err == nil
	}
	sequence, numbered := Whole(envelope["sequence"])
	f := ptyFrame{sequence: sequence, payload: envelope["payload"], ts: orMissing(envelope, "ts")}
	switch envelope["op"] {
	case "TaskStatusUpdate":
		f.kind = "TaskStatusUpdate"
	case "pty.session_frame":
		payload, _ := f.payload.(map[string]any)
		f.kind, _ = payload["kind"].(string)
		data, _ := payload["data"].(string)
		f.output, _ = base64.StdEncoding.DecodeString(data)
	default:
		return f, false
	}
	return f, numbered
}

// head is the newest number of the session when the connection came in: what is above it is live, the rest is replay.
func head(got any) (int64, bool) {
	frames, err := ptyFrames(got)
	if err != nil {
		return 0, false
	}
	for i, f := range frames {
		if f.kind == "RoleAssigned" {
			return joinedAfter(frames[:i], max(f.sequence, math.MinInt64+1)-1), true // a hostile number must not wrap
		}
	}
	for _, place := range []struct {
		op   string
		path Path
	}{
		{"SubscribeToTask.Accepted", MustPath("payload.current_sequence")},
		{"binding_hello", MustPath("payload.session.current_sequence")},
	} {
		for _, element := range got.([]any) {
			envelope, _ := element.(map[string]any)
			if n, is := Whole(place.path.Find(element)); is && envelope["op"] == place.op {
				return n, true
			}
		}
	}
	return 0, false
}

// joinedAfter is the number below those of the join itself, which end with that of RoleAssigned: who sends MembershipChanged or a Keyframe before
// it breaks the order of a join, and has replayed nothing.
func joinedAfter(before []ptyFrame, last int64) int64 {
	for i := len(before) - 1; i >= 0 && before[i].sequence == last; i-- {
		if before[i].kind != "MembershipChanged" && before[i].kind != "Keyframe" {
			break
		}
		last = max(last, math.MinInt64+1) - 1
	}
	return last
}

// framesWithHead are the stream frames of a connection and the head it found.
func framesWithHead(got any) ([]ptyFrame, int64, error) {
	frames, err := ptyFrames(got)
	if err != nil {
		return nil, 0, err
	}
	h, found := head(got)
	if !found {
		return nil, 0, &Problem{Seen: fmt.Sprintf("has nothing among %s that tells live from replayed ones", count(len(got.([]any)), "frame")),
			Wanted: "RoleAssigned, or a current_sequence"}
	}
	return frames, h, nil
}

// contentDiffers says how two frames with one number differ; output is compared as bytes, since one client can have it in
// base64 and another in binary.
func contentDiffers(got, want ptyFrame) error {
	if got.kind != want.kind {
		return &Problem{Seen: "is " + got.kind, Wanted: want.kind}
	}
	otherBytes := func(at string) error {
		return &Problem{Path: at, Seen: "holds other bytes: " + firstDifference(got.output, want.output)}
	}
	same := string(got.output) == string(want.output)
	if got.binary || want.binary {
		if same {
			return nil
		}
		return otherBytes("")
	}
	err := below(".payload", difference(WithoutServiceParameters(got.payload), WithoutServiceParameters(want.payload)))
	var differ *Problem
	if errors.As(err, &differ) && differ.Path == ".payload.data" && !same && got.output != nil && want.output != nil {
		return otherBytes(differ.Path) // a reader would have to decode both
	}
	return err
}

// WithoutServiceParameters is the payload of a task's update without the service parameters that may stand in its metadata, or in that of its task
// or delta: they are those of the connection that it is sent to, and not of the frame (rulings A48 and A49). Every other payload is as it was.
func WithoutServiceParameters(payload any) any {
	members, is := payload.(map[string]any)
	if !is || members["task"] == nil && members["delta"] == nil {
		return payload
	}
	bare := withoutParameters(members)
	for _, name := range []string{"task", "delta"} {
		if inner, is := bare[name].(map[string]any); is {
			bare[name] = withoutParameters(inner)
		}
	}
	return bare
}

// withoutParameters is an object without service parameters in its metadata, which is left out where it held nothing else.
func withoutParameters(of map[string]any) map[string]any {
	bare := maps.Clone(of)
	delete(bare, "service_parameters")
	metadata, is := bare["metadata"].(map[string]any)
	if !is {
		return bare
	}
	metadata = maps.Clone(metadata)
	delete(metadata, "service_parameters")
	delete(metadata, "trace_id")
	if bare["metadata"] = metadata; len(metadata) == 0 {
		delete(bare, "metadata")
	}
	return bare
}

func (f ptyFrame) String() string { return fmt.Sprintf("sequence %d (%s)", f.sequence, f.kind) }

// place is where the frame stands among all frames of its connection.
func (f ptyFrame) place() string { return elementPath(f.index) }

func ofKinds(frames []ptyFrame, kinds []any) []ptyFrame {
	var chosen []ptyFrame
	for _, f := range frames {
		if slices.Contains(kinds, any(f.kind)) {
			chosen = append(chosen, f)
		}
	}
	return chosen
}

func bySequence(frames []ptyFrame) map[int64]ptyFrame {
	m := make(map[int64]ptyFrame, len(frames))
	for _, f := range frames {
		m[f.sequence] = f
	}
	return m
}

// witnessed is an argument that is the list of frames another connection received.
func witnessed(word string, want any) ([]ptyFrame, error) {
	list, err := listArgument(word, want)
	if err != nil {
		return nil, err
	}
	return ptyFrames(list)
}

func kindsArgument(word string, args NamedArgs, usual ...any) ([]any, error) {
	if args["kinds"] == nil {
		return usual, nil
	}
	return textOrList(word, args["kinds"])
}

func numberArgument(word string, want any) (int64, error) {
	n, is := Whole(want)
	if !is {
		return 0, fmt.Errorf("%s was given %s, not a whole number", word, show(want))
	}
	return n, nil
}

func sequenceText(n int64) string { return strconv.FormatInt(n, 10) }
