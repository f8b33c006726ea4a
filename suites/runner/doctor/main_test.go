// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"io"
	"log"
	"testing"

	"go.uber.org/goleak"
)

// net/http logs what hostile servers say unasked; so does the program, to nowhere.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard)
	goleak.VerifyTestMain(m)
}
