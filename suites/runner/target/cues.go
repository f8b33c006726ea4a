// SPDX-License-Identifier: Apache-2.0

package target

import "github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"

// WithCues puts messages that the operator gave as JSON where a suite wrote `text: "${cue.x}"`: the parts, and whatever
// else the operator's message has, take the place of the one text part.
func WithCues(v any) any {
	switch v := v.(type) {
	case []any:
		filled := make([]any, len(v))
		for i, element := range v {
			filled[i] = WithCues(element)
		}
		return filled
	case map[string]any:
		filled := make(map[string]any, len(v))
		for name, inner := range v {
			filled[name] = WithCues(inner)
		}
		cue := cueIn(v["parts"])
		for name, inner := range cue {
			filled[name] = inner
		}
		return filled
	}
	return v
}

// cueIn is the message that stands where the text of the only part should be.
func cueIn(parts any) map[string]any {
	list, _ := parts.([]any)
	if len(list) != 1 {
		return nil
	}
	cue, _ := readers.Member(list[0], "text").(map[string]any)
	if inner, is := cue["message"].(map[string]any); is && cue["parts"] == nil {
		cue = inner
	}
	if cue["parts"] == nil {
		return nil
	}
	return cue
}
