// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"maps"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/suites/hooks"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
)

// tellHook says what the runner does by itself, what the operator states, or whom it asks: three matters under one verb.
func tellHook(do Action) Telling {
	h := do.(Hook)
	t := Telling{Does: "call the operator's hook " + h.Name, Of: "what the hook " + h.Name + " answers"}
	known, _ := profiles.All[0].Hook(h.Name)
	if own, is := hooks.OperationCalled(h.Name); is {
		t.Does, t.Of = own.Does, own.Of
	} else if stated, is := strings.CutPrefix(known.What, "if "); is {
		t.Does = "make sure that the operator states (hook " + h.Name + "): " + stated
	} else if strings.HasPrefix(known.What, "which ") {
		t.Does += ", " + known.What
	} else if known.What != "" {
		t.Does = "take what the operator names (hook " + h.Name + "): " + known.What
	}
	if known.Instead != "" {
		t.lines("%s", known.Instead)
	}
	for _, name := range slices.Sorted(maps.Keys(h.With)) {
		t.lines("%s: %s", name, bare(h.With[name]))
	}
	if h.Optional {
		t.lines("where the hook is not configured, what was judged until here is enough")
	}
	return t
}

// bare is a value as people write it: a text without its quotes, where nothing in it could be taken for words of ours.
func bare(v any) string {
	if text, is := v.(string); is && !strings.ContainsAny(text, " \t\n\"") {
		return text
	}
	return Brief(v)
}
