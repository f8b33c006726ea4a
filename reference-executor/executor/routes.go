// SPDX-License-Identifier: Apache-2.0

package executor

// routes is everything this executor serves.
func (e *Executor) routes() *router {
	r := &router{}
	e.a2aRoutes(r)
	e.adminRoutes(r)
	e.v1Routes(r)
	e.observabilityRoutes(r)
	e.operatorRoutes(r)
	e.terminalRoutes(r)
	return r
}
