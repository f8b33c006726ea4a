// SPDX-License-Identifier: Apache-2.0

package names

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// WholeMilliseconds is how times are written.
const WholeMilliseconds = "2006-01-02T15:04:05.000Z"

// Fresh is a value nobody has seen before.
func Fresh(what string) (any, error) {
	if version, variant, is := strings.Cut(what, "."); is && slices.Contains([]string{"8", "9", "a", "b"}, variant) {
		v, err := Fresh(version)
		if id, is := v.(string); is && len(id) == 36 {
			return id[:19] + variant + id[20:], err // the digit that begins with the two bits of the variant
		}
	}
	switch what {
	case "uuid":
		id, err := uuid.NewV7()
		return id.String(), err
	case "uuid4":
		return uuid.NewString(), nil
	case "time":
		return time.Now().UTC().Format(WholeMilliseconds), nil
	case "marker":
		return "marker-" + strings.ToLower(rand.Text())[:12], nil
	case "token":
		return rand.Text() + rand.Text(), nil
	case "traceparent":
		id := make([]byte, 24) // of the trace, and of the parent (W3C Trace Context, 3.2.2); it is never all zeros
		_, _ = rand.Read(id)   // it never fails
		return fmt.Sprintf("00-%x-%x-01", id[:16], id[16:]), nil
	case "websocket_key":
		key := make([]byte, 16) // RFC 6455, 4.1
		_, _ = rand.Read(key)   // it never fails
		return base64.StdEncoding.EncodeToString(key), nil
	}
	return nil, fmt.Errorf("nothing is called ${fresh.%s}", what)
}

// maxFiller bounds ${filler.N}.
const maxFiller = 256 << 20

var sizes = []struct {
	suffix string
	unit   int
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"KB", 1000}, {"MB", 1000 * 1000}, {"B", 1}, {"", 1}}

// wide is what a text of "12MiB.wide" consists of: characters of two to four bytes, nine bytes together, so that hardly a
// buffer ends between two of them.
const wide = "Ω亀🐢"

// Filler is a text of a given size: "12MiB"; or of characters of several bytes, and as long as they come out even: "12MiB.wide".
func Filler(size string) (any, error) {
	if narrow, is := strings.CutSuffix(size, ".wide"); is {
		v, err := Filler(narrow)
		if text, is := v.(string); is {
			return strings.Repeat(wide, len(text)/len(wide)), err
		}
		return nil, err
	}
	for _, s := range sizes {
		digits, found := strings.CutSuffix(size, s.suffix)
		if !found {
			continue
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 0 || n > maxFiller/s.unit {
			break
		}
		return strings.Repeat("x", n*s.unit), nil
	}
	return nil, fmt.Errorf("${filler.%s} is not a size such as 12MiB, at most 256MiB", size)
}
