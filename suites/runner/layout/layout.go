// SPDX-License-Identifier: Apache-2.0

// Package layout knows where the layout of 2026 of an app server of openhands-v1 has what the contract has elsewhere (ruling C19): events are
// below their conversation, and the webhooks of a sandbox do not name it. Suites are written in the layout of the contract.
package layout

import (
	"net/url"
	"strings"
)

const prefix = "/api/v1/"

// Address is an address of the contract's layout in that of 2026. The conversation whose events are asked for is the one that the query filters
// by; where it filters by none, conversation says which one is meant. What has not moved stays as it is.
func Address(address string, conversation func() (string, error)) (string, error) {
	origin, rest, is := strings.Cut(address, prefix)
	if !is {
		return address, nil
	}
	path, query, asks := strings.Cut(rest, "?")
	moved := path
	switch parts := strings.Split(path, "/"); {
	case isOfEvents(parts):
		of, others := filteredBy(query)
		if of == "" {
			id, err := conversation()
			if err != nil {
				return "", err
			}
			of = url.PathEscape(id)
		}
		moved, query = "conversation/"+of+"/"+path, others
		asks = asks && query != ""
	case parts[0] == "webhooks" && isOfSandbox(parts):
		moved = strings.Join(append(parts[:1:1], parts[2:]...), "/")
	}
	if asks {
		moved += "?" + query
	}
	return origin + prefix + moved, nil
}

// Operation is an operation of the contract's layout, "GET /api/v1/events/search", in that of 2026; {} stands for a parameter of its path.
func Operation(operation string) string {
	method, path, _ := strings.Cut(operation, " ")
	moved, _ := Address(path, func() (string, error) { return "{}", nil }) // which never fails
	return method + " " + strings.ReplaceAll(moved, url.PathEscape("{}"), "{}")
}

func isOfEvents(parts []string) bool {
	return parts[0] == "events" && (len(parts) == 1 || len(parts) == 2 && (parts[1] == "search" || parts[1] == "count"))
}

// isOfSandbox says whether a path of webhooks is that of something that a sandbox tells.
func isOfSandbox(parts []string) bool {
	return len(parts) == 3 && parts[2] == "conversations" || len(parts) == 4 && parts[2] == "events"
}

// filteredBy is the conversation that a query filters events by, as it is written there, and the query without it.
func filteredBy(query string) (conversation, others string) {
	var kept []string
	for part := range strings.SplitSeq(query, "&") {
		if id, is := strings.CutPrefix(part, "conversation_id__eq="); is {
			conversation = id
		} else if part != "" {
			kept = append(kept, part)
		}
	}
	return conversation, strings.Join(kept, "&")
}
