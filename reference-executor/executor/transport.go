// SPDX-License-Identifier: Apache-2.0

package executor

import "net/http"

// transportBehaviour is HTTP itself: what stands around every answer, whatever it says.
type transportBehaviour struct {
	arrives func(e *Executor, w http.ResponseWriter, r *http.Request)              // a request is about to be looked at
	encode  func(c *call, v any) []byte                                            // a JSON value
	header  func(c *call, status int, h http.Header)                               // the last word on the header of an answer
	write   func(c *call, w http.ResponseWriter, status int, body []byte)          // sends an answer
	stream  func(c *call, w http.ResponseWriter, follow func(http.ResponseWriter)) // sends a stream
	most    func() int                                                             // bytes of a body; more are refused with 413
	below   func() string                                                          // the path below which everything is served; empty: none
}

var conformantTransport = transportBehaviour{
	arrives: func(*Executor, http.ResponseWriter, *http.Request) {},
	encode:  func(c *call, v any) []byte { return c.e.lawful.Encode(v) },
	header:  func(*call, int, http.Header) {},
	write: func(c *call, w http.ResponseWriter, status int, body []byte) {
		c.e.lawful.Write(w, status, body)
	},
	stream: func(_ *call, w http.ResponseWriter, follow func(http.ResponseWriter)) { follow(w) },
	most:   func() int { return maxBody },
	below:  func() string { return "" },
}
