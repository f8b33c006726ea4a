// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"flag"
	"os"
	"runtime"
	"strconv"
	"testing"
)

// Most of the time of these tests is waiting for what a fault keeps from coming, so that two for each processor are played at once
// where -parallel does not say how many.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.NumCPU())); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
