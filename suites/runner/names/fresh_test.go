// SPDX-License-Identifier: Apache-2.0

package names

import (
	"regexp"
	"testing"

	"github.com/google/uuid"
)

func TestFreshIsNewAtEachUse(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"uuid", "uuid4", "uuid.8", "uuid4.b", "marker", "token", "traceparent", "websocket_key"} {
		a, _ := Fresh(name)
		b, _ := Fresh(name)
		if a == b {
			t.Errorf("${fresh.%s} is %v twice", name, a)
		}
	}
	id, _ := Fresh("uuid")
	if parsed := uuid.MustParse(id.(string)); parsed.Version() != 7 {
		t.Errorf("version is %d", parsed.Version())
	}
	trace, _ := Fresh("traceparent")
	if form := regexp.MustCompile(`^00-[0-9a-f]{32}-[0-9a-f]{16}-01$`); !form.MatchString(trace.(string)) {
		t.Errorf("${fresh.traceparent} is %s", trace)
	}
	for name, want := range map[string]string{"uuid.8": "7 8", "uuid.b": "7 b", "uuid4.9": "4 9", "uuid4.a": "4 a"} {
		v, _ := Fresh(name)
		if id := v.(string); uuid.Validate(id) != nil || id[14:15]+" "+id[19:20] != want {
			t.Errorf("${fresh.%s} is %s", name, id)
		}
	}
}

func TestFillersHaveTheirSize(t *testing.T) {
	t.Parallel()
	for size, want := range map[string]int{"12MiB": 12 << 20, "1KiB": 1024, "7B": 7, "2KB": 2000, "5": 5, "1KiB.wide": 1017} {
		if v, err := Filler(size); err != nil || len(v.(string)) != want {
			t.Errorf("${filler.%s}: %v", size, err)
		}
	}
}
