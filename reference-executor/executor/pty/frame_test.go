// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"fmt"
	"testing"
)

func TestPW1OLayout(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		sequence uint64
		data     string
		want     string
	}{
		{1, "", "5057314f000000000000000101"},
		{0x0102030405060708, "hi", "5057314f0102030405060708016869"},
		{1<<53 - 1, "\x00\xff", "5057314f001fffffffffffff0100ff"},
	} {
		if got := fmt.Sprintf("%x", encodePW1O(row.sequence, []byte(row.data))); got != row.want {
			t.Errorf("%d %q is %s, want %s", row.sequence, row.data, got, row.want)
		}
	}
}
