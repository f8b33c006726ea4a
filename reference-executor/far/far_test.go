// SPDX-License-Identifier: Apache-2.0

package far

import (
	"io"
	"net"
	"testing"
	"time"
)

// TestWhatIsWrittenArrivesLater: all of it, in its order, and then the end.
func TestWhatIsWrittenArrivesLater(t *testing.T) {
	t.Parallel()
	const later = 50 * time.Millisecond
	near, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := Listener(near, later)
	defer l.Close()
	written := make(chan time.Time, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		written <- time.Now()
		for _, text := range []string{"one ", "", "two ", "three"} {
			c.Write([]byte(text))
		}
		c.Close()
		c.Close()
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text, err := io.ReadAll(c)
	if err != nil || string(text) != "one two three" {
		t.Errorf("%q arrived, %v", text, err)
	}
	if took := time.Since(<-written); took < later {
		t.Errorf("it arrived after %s, want no less than %s", took, later)
	}
}
