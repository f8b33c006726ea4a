// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"maps"
	"net/http"
)

// The codes of the binding.
const (
	codeTaskNotFound      = "TASK_NOT_FOUND"
	codeTaskNotCancelable = "TASK_NOT_CANCELABLE"
	codeInvalidRequest    = "INVALID_REQUEST"
	codeUnsupported       = "UNSUPPORTED_OPERATION"
	codeUnauthenticated   = "UNAUTHENTICATED"
	codePermissionDenied  = "PERMISSION_DENIED"
	codeRateLimited       = "RATE_LIMITED"
	codeInternal          = "INTERNAL"
	codeReplayOutOfRange  = "REPLAY_OUT_OF_RANGE"
	codeBackend           = "session_backend.not_implemented"
	codeClass             = "session_class.not_implemented"
)

// The codes of kind Error.
const (
	codeWriteFailed  = "PTY_WRITE_FAILED"
	codeResizeFailed = "PTY_RESIZE_FAILED"
	codeOutputLagged = "PTY_OUTPUT_LAGGED"
	codeNoKeyframe   = "KEYFRAME_UNAVAILABLE"
)

// A counterpart is the A2A error that stands for a code.
type counterpart struct {
	name   string
	number int // of JSON-RPC; 0: none
}

var counterparts = map[string]counterpart{
	codeTaskNotFound:      {"TaskNotFound", -32001},
	codeTaskNotCancelable: {"TaskNotCancelable", -32002},
	codeInvalidRequest:    {"InvalidRequest", -32600},
	codeUnsupported:       {"UnsupportedOperation", -32004},
	codeUnauthenticated:   {"Unauthenticated", 0},
	codePermissionDenied:  {"PermissionDenied", 0},
	codeRateLimited:       {"RateLimited", 0},
	codeInternal:          {"Internal", -32603},
	codeReplayOutOfRange:  {"ReplayOutOfRange", 0},
	codeBackend:           {"UnsupportedOperation", -32004},
	codeClass:             {"UnsupportedOperation", -32004},
}

// A frameError is why a frame was refused.
type frameError struct {
	code    string
	message string
	silent  bool // nothing is answered, which only faults want
	unread  bool // the frame could not be read
}

func (e *frameError) Error() string { return e.code + ": " + e.message }

func badRequest(why string) *frameError {
	return &frameError{code: codeInvalidRequest, message: why, unread: true}
}

// noRole is why who has not joined is refused.
const noRole = "this connection has no role yet"

func denied(why string) *frameError { return &frameError{code: codePermissionDenied, message: why} }
func unsupported(why string) *frameError {
	return &frameError{code: codeUnsupported, message: why}
}

// errorsBehaviour is how refusals look.
type errorsBehaviour struct {
	id      func(id string, e *frameError) string       // of the Error; empty: it answers no request
	payload func(c *connection, payload map[string]any) // the last word on it
	after   func(c *connection)                         // what follows an Error
	ends    func(c *connection, e *frameError) bool     // whether it ends the connection in place of an Error
}

var conformantErrors = errorsBehaviour{
	id:      func(id string, _ *frameError) string { return id },
	payload: func(*connection, map[string]any) {},
	after:   func(*connection) {},
	ends:    func(*connection, *frameError) bool { return false },
}

// refuse answers a request with an Error.
func (c *connection) refuse(id string, e *frameError) {
	if e.silent {
		return
	}
	if c.b.errors.ends(c, e) {
		c.end(closeBadEnvelope, e.message)
		return
	}
	c.say(reply(opError, c.b.errors.id(id, e), c.errorPayload(e)))
	c.b.errors.after(c)
}

func (c *connection) errorPayload(e *frameError) map[string]any {
	known := counterparts[e.code]
	a2a := map[string]any{"type": known.name, "message": e.message}
	if known.number != 0 {
		a2a["code"] = known.number
	}
	payload := map[string]any{"code": e.code, "message": e.message, "a2a_error": a2a}
	if c.hub.lawful.Below(2) == 0 || e.code == codeRateLimited {
		payload["retryable"] = e.code == codeRateLimited || e.code == codeInternal
	}
	c.b.errors.payload(c, payload)
	return payload
}

// fromRefusal says a refusal of the host in the binding's words.
func fromRefusal(p *Refusal) *frameError {
	code := codeInternal
	switch {
	case p.Code == "task.not_found":
		code = codeTaskNotFound
	case p.Code == "task.not_cancelable":
		code = codeTaskNotCancelable
	case p.Status == http.StatusTooManyRequests:
		code = codeRateLimited
	case p.Status == http.StatusForbidden:
		code = codePermissionDenied
	case p.Status >= 400 && p.Status < 500:
		code = codeInvalidRequest
	}
	message := p.Detail
	if message == "" {
		message = "the request could not be served"
	}
	return &frameError{code: code, message: message}
}

// terminalError is a frame of kind Error for one connection.
func terminalError(c *connection, code, message string) *frame {
	f := terminalFrame(kindError, map[string]any{"kind": kindError, "code": code, "message": message})
	f.only = c
	return f
}

// without is a payload that lacks a member.
func without(payload map[string]any, name string) map[string]any {
	payload = maps.Clone(payload)
	delete(payload, name)
	return payload
}
