// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"iter"
	"net/url"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/suites"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
)

// askedAhead puts the replay that an actor will ask for when it joins or subscribes into the URL of its attach, where the
// compact dialect wants it.
func (t terminal) askedAhead(open *suites.Step, address *url.URL) (replays bool, err error) {
	for step := range t.following() {
		if step.By != open.By {
			continue
		}
		if _, again := step.Do.(suites.Open); again {
			return false, nil
		}
		send, is := step.Do.(suites.Send)
		if !is {
			continue
		}
		envelope, _ := send.JSON.(map[string]any)
		from, has := envelope["replay_from"]
		if !has {
			continue
		}
		v, err := t.expand(from)
		if err != nil {
			return false, fmt.Errorf("the compact dialect wants replay_from when it attaches: %w", err)
		}
		if v == nil {
			return false, nil
		}
		query := address.Query()
		query.Set("replay_from", jsontext.Text(v))
		address.RawQuery = query.Encode()
		return true, nil
	}
	return false, nil
}

// following are the steps of the row that come after the one being played.
func (t terminal) following() iter.Seq[*suites.Step] {
	return func(yield func(*suites.Step) bool) {
		var walk func(steps []*suites.Step) bool
		walk = func(steps []*suites.Step) bool {
			for _, step := range steps {
				if use, is := step.Do.(suites.Use); is {
					if !walk(use.Steps) {
						return false
					}
				} else if !yield(step) {
					return false
				}
			}
			return true
		}
		for _, steps := range slices.Backward(t.ahead) {
			if !walk(steps) {
				return
			}
		}
	}
}
