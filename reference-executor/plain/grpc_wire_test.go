// SPDX-License-Identifier: Apache-2.0

//go:build !nogrpc

package plain

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// What is written can be read again: every kind of member that requests have (maps are in answers alone), and those whose default value is not their absence.
func TestWireGoesThereAndBack(t *testing.T) {
	t.Parallel()
	number := func(text string) json.Number { return json.Number(text) }
	for name, row := range map[string]struct {
		kind string
		o    object
	}{
		"a task": {"Task", object{"id": "t", "contextId": "c", "status": object{"state": "TASK_STATE_INPUT_REQUIRED", "timestamp": "2026-01-01T00:00:00.25Z"},
			"artifacts": []any{object{"artifactId": "a", "parts": []any{object{"text": ""}, object{"raw": "AQID", "filename": "f"}}}}}},
		"data":             {"Part", object{"data": object{"null": nil, "list": []any{true, number("1.5"), "x", object{}, []any{}}}, "mediaType": "x/y"}},
		"null":             {"Part", object{"data": nil}},
		"optional members": {"ListTasksRequest", object{"pageSize": number("0"), "includeArtifacts": false, "status": "TASK_STATE_WORKING"}},
		"negative":         {"GetTaskRequest", object{"id": "t", "historyLength": number("-1")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, unknown, err := fromWire(row.kind, toWire(row.kind, row.o))
			if diff := cmp.Diff(row.o, got); diff != "" || len(unknown) > 0 || err != nil {
				t.Errorf("unknown %v, %v (-want +got):\n%s", unknown, err, diff)
			}
		})
	}
}

// What others write of the types that everybody has is read, and what we write of them is read by others.
func TestWireOfKnownTypes(t *testing.T) {
	t.Parallel()
	want, err := structpb.NewStruct(map[string]any{"a": []any{nil, true, -2.5, "x"}, "b": map[string]any{"c": 1e300}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := proto.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	o, err := structFromWire(text)
	if err != nil {
		t.Fatal(err)
	}
	var got structpb.Struct
	if err := proto.Unmarshal(structToWire(o), &got); err != nil || !proto.Equal(want, &got) {
		t.Errorf("%v became %v, then %v: %v", want, o, &got, err)
	}
	var at timestamppb.Timestamp
	status := toWire("TaskStatus", object{"timestamp": "1969-12-31T23:59:59.5Z"})
	if err := proto.Unmarshal(status[2:], &at); err != nil || at.Seconds != -1 || at.Nanos != 5e8 {
		t.Errorf("the time became %v: %v", &at, err)
	}
}

func FuzzFromWire(f *testing.F) {
	f.Add("Task", toWire("Task", object{"id": "t", "status": object{"state": "TASK_STATE_WORKING"}}))
	f.Add("Part", toWire("Part", object{"data": []any{object{"a": nil}}}))
	f.Fuzz(func(t *testing.T, kind string, message []byte) {
		o, _, err := fromWire(kind, message)
		if err == nil {
			toWire(kind, o)
		}
	})
}
