// SPDX-License-Identifier: Apache-2.0

package websocket

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/gobwas/ws"
)

func FuzzReader(f *testing.F) {
	whole, begun := ws.MaskFrame(ws.NewTextFrame([]byte("{}"))), ws.MaskFrame(ws.NewTextFrame([]byte("{")))
	begun.Header.Fin = false
	f.Add(ws.MustCompileFrame(whole))
	f.Add(ws.MustCompileFrame(begun))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := Reader{In: bufio.NewReader(bytes.NewReader(data)), Most: 1 << 16, Header: CheckHeader, Whole: func(h ws.Header) bool { return h.Fin }, Text: CheckText}
		for {
			m, err := r.Next()
			if err != nil {
				return
			}
			if len(m.Payload) > 1<<16 {
				t.Errorf("message of %d bytes", len(m.Payload))
			}
		}
	})
}
