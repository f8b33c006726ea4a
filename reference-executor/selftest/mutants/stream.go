// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bufio"
	"io"
	"net"
)

// stream passes an event stream on.
func (f *Front) stream(client net.Conn, server *bufio.Reader, q *question, h *head, name string) bool {
	kind := exchangeKind(name, h, nil)
	f.traffic.Recording.exchange(kind, q.circumstance, h, nil)
	if f.traffic.meant(kind) {
		f.change(kind, q, h, nil)
	}
	if _, err := client.Write(h.bytes()); err != nil {
		return false
	}
	io.Copy(client, server)
	return false
}

func (f *Front) upgraded(client net.Conn, server *bufio.Reader, q *question, h *head, name string) {
	kind := exchangeKind(name, h, nil)
	f.traffic.Recording.exchange(kind, q.circumstance, h, nil)
	if f.traffic.meant(kind) {
		f.change(kind, q, h, nil)
	}
	if _, err := client.Write(h.bytes()); err != nil {
		return
	}
	io.Copy(client, server)
}
