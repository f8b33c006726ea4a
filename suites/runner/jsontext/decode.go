// SPDX-License-Identifier: Apache-2.0

package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

// A decoder reads one text after another, in the buffer that it has.
type decoder struct {
	text bytes.Reader
	*json.Decoder
}

var decoders = sync.Pool{New: func() any {
	d := &decoder{}
	d.Decoder = json.NewDecoder(&d.text)
	d.UseNumber()
	return d
}}

// pooled is how long a text may be for its decoder to be kept, in bytes.
const pooled = 64 << 10

// Decode is json.Unmarshal of the first JSON text in a body, with numbers as json.Number. whole says that nothing comes behind it.
func Decode(body []byte, v any) (whole bool, err error) {
	d := decoders.Get().(*decoder)
	d.text.Reset(body)
	if err := d.Decoder.Decode(v); err != nil {
		return false, err // which the decoder would give for the next text as well
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return false, nil
	}
	d.text.Reset(nil)
	if len(body) <= pooled {
		decoders.Put(d)
	}
	return true, nil
}
