// SPDX-License-Identifier: Apache-2.0

package executor

import "net/http"

// operatorRoutes are no part of the contract: they are what the operator of a test deployment lends its hooks. They want
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
