// SPDX-License-Identifier: Apache-2.0

package runner

// A socket is an actor's WebSocket connection.
type socket struct{}
