// SPDX-License-Identifier: Apache-2.0

package mutants

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http/httputil"
	"strconv"
	"strings"
)

// A field is one header line as it stood on the wire.
type field struct{ name, value string }

// A head is the head of a response as it stood on the wire; net/http would forget order and spelling.
type head struct {
	proto, reason string
	status        int
	fields        []field
}

// readHead reads the head of a response.
func readHead(r *bufio.Reader) (*head, error) {
	line, err := readLine(r)
	if err != nil {
		return nil, err
	}
	proto, rest, _ := strings.Cut(line, " ")
	code, reason, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	if err != nil {
		return nil, fmt.Errorf("status line %q", line)
	}
	h := &head{proto: proto, status: status, reason: reason}
	for {
		line, err := readLine(r)
		if err != nil {
			return nil, err
		}
		if line == "" {
			return h, nil
		}
		name, value, _ := strings.Cut(line, ":")
		h.fields = append(h.fields, field{name, strings.TrimSpace(value)})
	}
}

func readLine(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func (h *head) get(name string) string {
	for _, f := range h.fields {
		if strings.EqualFold(f.name, name) {
			return f.value
		}
	}
	return ""
}

func (h *head) del(name string) {
	kept := h.fields[:0]
	for _, f := range h.fields {
		if !strings.EqualFold(f.name, name) {
			kept = append(kept, f)
		}
	}
	h.fields = kept
}

func (h *head) set(name, value string) {
	for i, f := range h.fields {
		if strings.EqualFold(f.name, name) {
			h.fields[i].value = value
			return
		}
	}
	h.fields = append(h.fields, field{name, value})
}

func (h *head) bytes() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %03d %s\r\n", h.proto, h.status, h.reason)
	for _, f := range h.fields {
		fmt.Fprintf(&b, "%s: %s\r\n", f.name, f.value)
	}
	b.WriteString("\r\n")
	return b.Bytes()
}

// chunked says whether the body comes in chunks.
func (h *head) chunked() bool { return strings.EqualFold(h.get("Transfer-Encoding"), "chunked") }

// bodiless says whether an answer has no body, whatever its head says.
func (h *head) bodiless(method string) bool {
	return method == "HEAD" || h.status == 204 || h.status == 304 || h.status < 200
}

// body is the reader of the body behind a head.
func (h *head) body(r *bufio.Reader, method string) io.Reader {
	if h.bodiless(method) {
		return strings.NewReader("")
	}
	if h.chunked() {
		return chunks(r)
	}
	if length, err := strconv.ParseInt(h.get("Content-Length"), 10, 64); err == nil {
		return io.LimitReader(r, length)
	}
	return r
}

// chunks reads a chunked body to its end, the trailer included, so that the next answer can follow.
func chunks(r *bufio.Reader) io.Reader {
	return io.MultiReader(httputil.NewChunkedReader(r), &trailer{r: r})
}

// A trailer swallows what stands behind the last chunk.
type trailer struct {
	r    *bufio.Reader
	done bool
}

func (t *trailer) Read([]byte) (int, error) {
	for !t.done {
		line, err := readLine(t.r)
		if err != nil {
			return 0, err
		}
		t.done = line == ""
	}
	return 0, io.EOF
}
