// SPDX-License-Identifier: Apache-2.0

package pty_test

import (
	"io"
	"regexp"
	"time"

	"github.com/gobwas/ws"
	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty/strictjson"
)

// What clients know by the contract.
const (
	subprotocolJSON   = "pty-ws.v1"
	subprotocolBinary = "pty-ws.v1.binary"
	embeddedPrefix    = "bearer."

	opHello    = "binding_hello"
	opGoodbye  = "binding_goodbye"
	opError    = "Error"
	opUpdate   = "TaskStatusUpdate"
	opTerminal = "pty.session_frame"

	kindOutput     = "Output"
	kindResize     = "Resize"
	kindRole       = "RoleAssigned"
	kindMembership = "MembershipChanged"
	kindKeyframe   = "Keyframe"
	kindClosed     = "Closed"
	kindError      = "Error"

	roleController = "controller"
	roleObserver   = "observer"

	codeTaskNotFound      = "TASK_NOT_FOUND"
	codeTaskNotCancelable = "TASK_NOT_CANCELABLE"
	codeInvalidRequest    = "INVALID_REQUEST"
	codeUnsupported       = "UNSUPPORTED_OPERATION"
	codePermissionDenied  = "PERMISSION_DENIED"
	codeRateLimited       = "RATE_LIMITED"
	codeInternal          = "INTERNAL"
	codeReplayOutOfRange  = "REPLAY_OUT_OF_RANGE"
	codeBackend           = "session_backend.not_implemented"
	codeClass             = "session_class.not_implemented"
	codeWriteFailed       = "PTY_WRITE_FAILED"
	codeResizeFailed      = "PTY_RESIZE_FAILED"
	codeOutputLagged      = "PTY_OUTPUT_LAGGED"
	codeNoKeyframe        = "KEYFRAME_UNAVAILABLE"

	canceled       = "canceled"
	backendNative  = "native"
	closeNormal    = 1000
	maxMessage     = 16 << 20
	snapshotFormat = "vt100-screen-state-v1"
)

// The faults that an operator can arm.
const (
	faultWrite    = "write"
	faultResize   = "resize"
	faultSnapshot = "snapshot"
)

var uuidV7 = regexp.MustCompile(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func newUUIDv7() string { return uuid.Must(uuid.NewV7()).String() }

func now() string { return time.Now().UTC().Format(time.RFC3339Nano) }

func parseObject(text []byte) (map[string]any, error) { return strictjson.Object(text) }

func number(v any) (int, bool) { return pty.Number(v) }

// readPayload reads what follows the header of a server's frame.
func readPayload(in io.Reader, h ws.Header) ([]byte, error) {
	payload := make([]byte, h.Length)
	_, err := io.ReadFull(in, payload)
	return payload, err
}
