// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"net/http"
)

// A problem is why a request was refused; it becomes a problem document (RFC 7807).
type problem struct {
	status int
	code   string // domain.condition, or the name an extension's specification gives
	detail string
	header http.Header    // further response headers
	more   map[string]any // further members
}

// Error makes a problem an error, for those who carry it inwards.
func (p *problem) Error() string { return p.code + ": " + p.detail }

// with returns the problem with one more member.
func (p *problem) with(member string, value any) *problem {
	more := maps.Clone(p.more)
	if more == nil {
		more = map[string]any{}
	}
	more[member] = value
	return &problem{p.status, p.code, p.detail, p.header, more}
}

// headed returns the problem with one more response header.
func (p *problem) headed(name, value string) *problem {
	header := p.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set(name, value)
	return &problem{p.status, p.code, p.detail, header, p.more}
}

func refuse(status int, code, detail string) *problem {
	return &problem{status: status, code: code, detail: detail}
}

// invalid refuses a parameter or member, and names it.
func invalid(field, message string) *problem {
	return refuse(http.StatusBadRequest, "request.invalid_params", field+": "+message).
		with("errors", []any{map[string]any{"field": field, "message": message}})
}

// malformed refuses a body that is no JSON.
func malformed(detail string) *problem {
	return refuse(http.StatusBadRequest, "request.invalid_json", detail)
}

// titles are constant for each kind of problem, as RFC 7807 asks.
var titles = map[string]string{
	"adapter.refused":                               "Adapter command refused",
	"artifact.not_found":                            "Artifact not found",
	"auth.forbidden":                                "Not allowed",
	"auth.unauthorized":                             "Credentials required",
	"extension.required_not_activated":              "Required extension not activated",
	"extension.unsupported":                         "Unsupported extension",
	"hitl_already_answered_or_unknown":              "Prompt unknown or already answered",
	"hitl_response.invalid_envelope":                "Malformed prompt response",
	"hitl_response.missing_task_id":                 "Prompt response without task",
	"hitl_response_invalid":                         "Prompt response breaks the schema",
	"IDEMPOTENCY_KEY_REUSED_WITH_DIFFERENT_PAYLOAD": "Message id reused",
	"IDEMPOTENCY_MESSAGE_ID_MALFORMED":              "Malformed message id",
	"instance.busy":                                 "Instance is busy",
	"instance.name_taken":                           "Name is taken",
	"instance.not_found":                            "Instance not found",
	"internal.error":                                "Internal error",
	"internal.unavailable":                          "Internal error",
	"legacy_agent_secret.retired":                   "Secret rotation is retired",
	"loadout.exists":                                "Loadout exists",
	"object.not_found":                              "Storage object not found",
	"operation.not_found":                           "Operation not found",
	"push.config_not_found":                         "Push config not found",
	"push.invalid_auth":                             "Unusable push credentials",
	"push.invalid_url":                              "Unusable push URL",
	"rate_limit.exceeded":                           "Too many requests",
	"request.invalid_json":                          "Malformed JSON",
	"request.invalid_params":                        "Invalid parameters",
	"request.malformed":                             "Malformed request",
	"request.method_not_allowed":                    "Method not allowed",
	"request.too_large":                             "Body too large",
	"request.unsupported_media_type":                "Unsupported media type",
	"route.not_found":                               "No such resource",
	"runtime.not_implemented":                       "Runtime not enabled",
	"runtime.not_ready":                             "Runtime not ready",
	"storage.scope_disabled":                        "Storage scope is read-only",
	"task.context_mismatch":                         "Context does not match the task",
	"task.not_cancelable":                           "Task cannot be canceled",
	"task.not_continuable":                          "Task takes no more messages",
	"task.not_found":                                "Task not found",
	"validation.failed":                             "Validation failed",
}

// document is the problem as the JSON object that is sent.
func (p *problem) document(c *call) map[string]any {
	title, known := titles[p.code]
	if !known {
		title = http.StatusText(p.status)
	}
	d := map[string]any{
		"type":     "https://agentic-sandbox.aiwg.io/problems/" + p.code,
		"title":    title,
		"status":   p.status,
		"code":     p.code,
		"instance": c.r.URL.EscapedPath(),
		"trace_id": newTrace(),
	}
	if p.detail != "" {
		d["detail"] = p.detail
	}
	if c.surface == surfaceA2A && c.in != nil {
		d["instance_id"] = c.in.ID
	}
	maps.Copy(d, p.more)
	return d
}

func newTrace() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[0] |= 1 // all zeros means no trace
	return hex.EncodeToString(b[:])
}
