// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
)

// Whatever an executor sends as the frames of a session: the words about keyframes, and those that share their reader,
// neither panic nor blame the suite for it, and judge the same frames the same way twice. The bytes of all output are
// those of its frames.
func FuzzKeyframes(f *testing.F) {
	const role = `{"op":"pty.session_frame","sequence":1,"payload":{"kind":"RoleAssigned"},"@at":1}`
	for _, frames := range []string{
		`[]`, `null`, `[null,1,"x",[]]`,
		`[` + role + `,{"op":"pty.session_frame","sequence":2,"payload":{"kind":"Output","data":"aGk="},"@at":5},` +
			`{"op":"pty.session_frame","sequence":3,"payload":{"kind":"Keyframe","anchor_sequence":2},"@at":9},` +
			`{"op":"pty.session_frame","sequence":4,"payload":{"kind":"Output","data":"aGk="},"@at":12}]`,
		`[{"binary":{"sequence":18446744073709551615,"stream_id":1,"base64":"aGk=","text":"hi"},"@at":1}]`,
		`[{"op":"pty.session_frame","sequence":9223372036854775807,"payload":{"kind":"Keyframe","anchor_sequence":-9223372036854775808}}]`,
		`[{"op":"pty.session_frame","sequence":1e3,"payload":{"kind":"Keyframe","anchor_sequence":1.5},"@at":-1e300}]`,
		`[{"op":"binding_hello","payload":{"session":{"current_sequence":-9223372036854775808}}},{"op":"TaskStatusUpdate","sequence":0}]`,
	} {
		f.Add([]byte(frames), []byte{})
	}
	f.Add([]byte(`[]`), []byte{0, 2, 0, 1, 3, 0, 2, 4, 3, 1, 5, 0})
	f.Add([]byte(`[]`), []byte{0, 1, 0, 2, 2, 11, 1, 10, 0, 4, 11, 0, 5, 12, 0, 6, 13, 0, 3, 9, 8})
	f.Fuzz(func(t *testing.T, text, program []byte) {
		got := parsed(text)
		if list, is := got.([]any); is {
			got = append(list, programmed(t, program)...)
		}
		frames, err := ptyFrames(got)
		words := map[string]func() error{
			"keyframes_anchored":     func() error { return keyframesAnchoredWord.Judge(got, true) },
			"keyframe_after_outputs": func() error { return keyframeAfterOutputsWord.Judge(got, NamedArgs{"most": json.Number("2")}) },
			"keyframe_within":        func() error { return keyframeWithinWord.Judge(got, NamedArgs{"seconds": json.Number("5")}) },
			"sequences_increase":     func() error { return sequencesIncreaseWord.Judge(got, true) },
			"no_replay":              func() error { return noReplayWord.Judge(got, true) },
			"replay_after":           func() error { return replayAfterWord.Judge(got, json.Number("1")) },
		}
		if err == nil {
			words["replay_unaltered"] = func() error { return replayUnalteredWord.Judge(got, got) }
			words["replay_ts"] = func() error { return replayTSWord.Judge(got, got) }
			words["contiguous"] = func() error {
				return contiguousWord.Judge(got, NamedArgs{"with": []any{got}, "from": json.Number("1")})
			}
			words["same_frames_as"] = func() error { return sameFramesAsWord.Judge(got, NamedArgs{"of": got}) }
			words["same_stream_as"] = func() error {
				return sameStreamAsWord.Judge(got, NamedArgs{"of": got, "kinds": []any{"Output", "Keyframe"}, "from": json.Number("0")})
			}
		}
		for name, judge := range words {
			first, second := judge(), judge()
			if sentence(first) != sentence(second) {
				t.Errorf("%s of %v says %q, then %q", name, got, sentence(first), sentence(second))
			}
			var problem *Problem
			tooLittle := name == "keyframe_after_outputs" || name == "keyframe_within" // too few frames to see anything
			if first != nil && !errors.As(first, &problem) && !tooLittle {
				t.Errorf("%s of %v is the suite's fault: %v", name, got, first)
			}
		}
		var output []byte
		for _, frame := range frames {
			if frame.kind == "Output" {
				output = append(output, frame.output...)
			}
		}
		if want := base64.StdEncoding.EncodeToString(output); err == nil && want != "" &&
			outputBytesWord.Judge(got, Value{Checks: []Check{{Word: &containsBase64Word, Want: want}}}) != nil {
			t.Errorf("the output of %v lacks some of its frames'", got)
		}
	})
}

// programmed makes frames of bytes, three a frame: what it is, its number, and the number that it speaks of.
func programmed(t *testing.T, program []byte) []any {
	numbers := []string{"0", "1", "2", "3", "4", "5", "6", "7", "-1", "9007199254740993", "9223372036854775807", "-9223372036854775808",
		"18446744073709551615", "1e400", "1.5", `"7"`, "null", "{}"}
	forms := []string{
		`{"op":"pty.session_frame","sequence":%[1]s,"payload":{"kind":"RoleAssigned"},"@at":%[3]d}`,
		`{"op":"pty.session_frame","sequence":%[1]s,"payload":{"kind":"Output","data":"aGk="},"@at":%[3]d}`,
		`{"op":"pty.session_frame","sequence":%[1]s,"payload":{"kind":"Keyframe","anchor_sequence":%[2]s},"@at":%[3]d}`,
		`{"op":"pty.session_frame","sequence":%[1]s,"payload":{"kind":"Resize","cols":%[2]s},"@at":%[3]d}`,
		`{"binary":{"sequence":%[1]s,"stream_id":%[2]s,"base64":"aGk=","text":"hi"},"@at":%[3]d}`,
		`{"op":"binding_hello","sequence":%[1]s,"payload":{"session":{"current_sequence":%[2]s}},"@at":%[3]d}`,
		`{"op":"SubscribeToTask.Accepted","payload":{"current_sequence":%[2]s}}`,
		`{"op":"TaskStatusUpdate","sequence":%[1]s,"payload":%[2]s}`,
		`{"op":"pty.session_frame","sequence":%[1]s,"payload":%[2]s}`,
	}
	var frames []any
	for ; len(program) >= 3 && len(frames) < 64; program = program[3:] {
		number := func(b byte) string { return numbers[int(b)%len(numbers)] }
		form := forms[int(program[0])%len(forms)]
		frame := parsed(fmt.Appendf(nil, form+"%[4]s", number(program[1]), number(program[2]), int(program[0])*100, ""))
		if IsMissing(frame) {
			t.Fatalf("%s is no JSON", form)
		}
		frames = append(frames, frame)
	}
	return frames
}

func sentence(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
