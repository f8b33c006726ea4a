// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"errors"
	"slices"
	"testing"
)

// TestAQuietTrialIsAlone: a trial that wants quiet begins when those under way are over, and none begins beside it.
func TestAQuietTrialIsAlone(t *testing.T) {
	begun, over := make(chan string), make(chan string, 3)
	beside := make(chan struct{})
	trial := func(name string, quiet bool) {
		p := &trials{}
		p.begin(t.Context(), deployment{quiet: quiet, serve: func([]string, func(string)) (subject, error) {
			begun <- name
			<-beside
			over <- name
			return nil, errors.New("that is all of it")
		}}, nil, nil)
	}
	go trial("one of many", false)
	<-begun
	go trial("a quiet one", true)
	for machine.TryRLock() { // until the quiet one waits
		machine.RUnlock()
	}
	go trial("one more", false)
	beside <- struct{}{}
	order := []string{<-over, <-begun}
	if machine.TryRLock() {
		t.Error("another trial can begin beside the quiet one")
	}
	beside <- struct{}{}
	order = append(order, <-over, <-begun)
	beside <- struct{}{}
	if order = append(order, <-over); !slices.Equal(order, []string{"one of many", "a quiet one", "a quiet one", "one more", "one more"}) {
		t.Errorf("ended and begun were, in turn: %q", order)
	}
}
