// SPDX-License-Identifier: Apache-2.0

package points

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A behaviour as reference servers have it, with every form of a point.
type behaviour struct {
	greet  func(name string) string
	count  func(words ...string) int
	absent func()
	limit  int
	words  []string
	tasks  struct {
		cancel func() bool
		codes  map[string]func() int
	}
}

func caught(code int) func() int { return func() int { return code } }

// The functions that every behaviour here is made of: each is one value.
var (
	greets  = func(name string) string { return "hello " + name }
	counts  = func(words ...string) int { return len(words) }
	cancels = func() bool { return true }
	codes   = map[string]func() int{"gone": caught(404), "held": caught(409)}
)

func correct() *behaviour {
	b := &behaviour{greet: greets, count: counts, limit: 3, words: []string{"a"}}
	b.tasks.cancel, b.tasks.codes = cancels, codes
	return b
}

func TestEdited(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		edit    func(*behaviour)
		changed []string
		whole   bool
	}{
		{"nothing", func(*behaviour) {}, nil, false},
		{"a function", func(b *behaviour) { b.greet = func(string) string { return "" } }, []string{"greet"}, false},
		{"two functions", func(b *behaviour) {
			b.tasks.cancel = func() bool { return false }
			b.count = func(...string) int { return 0 }
		}, []string{"count", "tasks.cancel"}, false},
		{"a function that was not there", func(b *behaviour) { b.absent = func() {} }, []string{"absent"}, false},
		{"a function taken away", func(b *behaviour) { b.greet = nil }, []string{"greet"}, false},
		{"a member of a map", func(b *behaviour) {
			b.tasks.codes = map[string]func() int{"gone": caught(410), "held": codes["held"]}
		}, []string{"tasks.codes.gone"}, false},
		{"a member added to a map", func(b *behaviour) {
			b.tasks.codes = map[string]func() int{"gone": codes["gone"], "held": codes["held"], "lost": caught(1)}
		}, []string{"tasks.codes.lost"}, false},
		{"a member taken out of a map", func(b *behaviour) {
			b.tasks.codes = map[string]func() int{"gone": codes["gone"]}
		}, []string{"tasks.codes.held"}, false},
		{"a number", func(b *behaviour) { b.limit = 4 }, nil, true},
		{"a list", func(b *behaviour) { b.words = nil }, nil, true},
		{"a number and a function", func(b *behaviour) {
			b.limit = 0
			b.tasks.cancel = nil
		}, []string{"tasks.cancel"}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			b := correct()
			row.edit(b)
			changed, whole := Edited(correct(), b)
			if !slices.Equal(changed, row.changed) || whole != row.whole {
				t.Errorf("edited are %v (whole %v), want %v (whole %v)", changed, whole, row.changed, row.whole)
			}
		})
	}
}

func TestAWatchedBehaviourAnswersAsBefore(t *testing.T) {
	t.Parallel()
	var asked []string
	b, other := correct(), correct()
	Watch(b, func(point string) { asked = append(asked, point) })
	got := fmt.Sprint(b.greet("you"), b.count("a", "b"), b.count(), b.tasks.cancel(), b.tasks.codes["gone"](), b.tasks.codes["held"](), b.limit, b.absent == nil)
	if want := fmt.Sprint("hello you", 2, 0, true, 404, 409, 3, true); got != want {
		t.Errorf("a watched behaviour answers %s, want %s", got, want)
	}
	want := []string{"greet", "count", "count", "tasks.cancel", "tasks.codes.gone", "tasks.codes.held"}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	other.greet("you")
	other.tasks.codes["gone"]()
	codes["gone"]()
	if len(asked) != len(want) {
		t.Errorf("watching one behaviour watches others: %v", asked[len(want):])
	}
}

func TestAll(t *testing.T) {
	t.Parallel()
	watchable, rest := All(correct())
	slices.Sort(watchable) // the members of a map are in no order
	if want := []string{"absent", "count", "greet", "tasks.cancel", "tasks.codes.gone", "tasks.codes.held"}; !slices.Equal(watchable, want) {
		t.Errorf("%v can be watched, want %v", watchable, want)
	}
	if want := []string{"limit", "words"}; !slices.Equal(rest, want) {
		t.Errorf("%v cannot be watched, want %v", rest, want)
	}
}

func TestSuggest(t *testing.T) {
	t.Parallel()
	known := []string{"card-without-name", "cancel-is-refused", "x"}
	for name, want := range map[string]string{
		"card-withot-name":  ` (did you mean "card-without-name"?)`,
		"Cancel-Is-Refused": ` (did you mean "cancel-is-refused"?)`,
		"zzz":               "",
		"":                  "",
	} {
		if got := Suggest(name, known); got != want {
			t.Errorf("of %q: %q, want %q", name, got, want)
		}
	}
	if got := Suggest("anything", nil); got != "" {
		t.Errorf("of no known names: %q", got)
	}
}
