// SPDX-License-Identifier: Apache-2.0

package runner

// A stream is an actor's event stream.
type stream struct{}
