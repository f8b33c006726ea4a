// SPDX-License-Identifier: Apache-2.0

package pointer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The pointers are those of RFC 6901, section 5.
func TestNames(t *testing.T) {
	t.Parallel()
	for pointer, want := range map[string][]string{
		"": {}, "/foo": {"foo"}, "/foo/0": {"foo", "0"}, "/": {""}, "/a~1b": {"a/b"}, "/c%d": {"c%d"}, "/m~0n": {"m~n"}, "/~01": {"~1"},
	} {
		got := Names(pointer)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", pointer, diff)
		}
		var again strings.Builder
		for _, name := range got {
			again.WriteString("/" + Token(name))
		}
		if again.String() != pointer {
			t.Errorf("%q is put together as %q", pointer, again.String())
		}
	}
}
