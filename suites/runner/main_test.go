// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	hookCommand()
	goleak.VerifyTestMain(m)
}
