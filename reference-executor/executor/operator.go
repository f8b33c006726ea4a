// SPDX-License-Identifier: Apache-2.0

package executor

import "net/http"

// operatorRoutes are no part of the contract: they are what the operator of a test deployment gives its hooks. They want
// the admin token.
func (e *Executor) operatorRoutes(r *router) {
	r.on("GET", "operator/disks", surfaceOperator, listDisks)
	r.on("POST", "operator/disks", surfaceOperator, listDisks)
	r.on("POST", "operator/commands", surfaceOperator, newCommand)
}

// listDisks tells which instances have a disk, also those that are gone.
func listDisks(c *call) answer {
	list := []any{}
	err := c.e.store.docs("disk", func(id string, _ []byte) error {
		list = append(list, id)
		return nil
	})
	if err != nil {
		return c.refuse(c.e.internal(err))
	}
	return c.json(http.StatusOK, map[string]any{"disks": list})
}

// OperatorPaths are the paths, from the root, behind which the operator of a test deployment offers what the contract has no
// operation for, by the name of the hook. They ask for the admin token.
func OperatorPaths() map[string]string {
	paths := map[string]string{"create-session": "sessions", "command-id": "commands"}
	for _, name := range []string{"end-session", "evict-replay", "exit-process", "pty-fault", "rate-limit", "internal-fault", "shutdown", "disks"} {
		paths[name] = name
	}
	for name, path := range paths {
		paths[name] = "/operator/" + path
	}
	return paths
}

// Cues are the messages and the files that bring a situation about, by its name.
func Cues() map[string]any {
	return map[string]any{
		"completed":      "scenario: completed",
		"failed":         "scenario: failed",
		"input-required": "scenario: input-required",

		"adapter-completed": ".aiwg/ops/runs/conformance.json",
		"adapter-failed":    ".aiwg/ops/runs/conformance-fails.json",
		"adapter-broken":    ".aiwg/ops/runs/conformance-breaks.json",
		"adapter-prints":    "runner: plan",
	}
}
