// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

// decodedAlone is Decode by a decoder that has read nothing before.
func decodedAlone(body []byte) (v any, whole bool, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, false, err
	}
	_, err = d.Token()
	return v, errors.Is(err, io.EOF), nil
}

// What a decoder has read before changes nothing in what it reads next.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{"", " ", "1", "1 2", "-0", "true", `"a"`, `{"a":1}`, `{"a":1} `, `{"a":1}x`, `{"a":1}{`, `{"a"`, "[", "[1,[2]]", "\x00", "nul", "null",
		strings.Repeat("[", 20_000), `{"a":"` + strings.Repeat("b", 3000) + `"}`} {
		f.Add([]byte(text), []byte(`{"c":[1.50,"d"]}`))
		f.Add([]byte(`[2]`), []byte(text))
	}
	f.Fuzz(func(t *testing.T, first, second []byte) {
		for range 2 {
			for _, body := range [][]byte{first, second} {
				var got any
				gotWhole, gotErr := Decode(body, &got)
				want, whole, err := decodedAlone(body)
				if gotErr != nil {
					got = nil
				}
				if gotWhole != whole || (gotErr == nil) != (err == nil) || !reflect.DeepEqual(got, want) {
					t.Fatalf("%.80q: %v, %v, %v, want %v, %v, %v", body, got, gotWhole, gotErr, want, whole, err)
				}
			}
		}
	})
}
