// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"fmt"
	"maps"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"
)

// behaviour holds every point at which the executor can be made to break the contract, a member for each topic. The
// type of a member, its conformant value and what each point decides stand in the file of the topic; its faults stand in
// faults_TOPIC.go.
type behaviour struct {
	card        cardBehaviour
	v1          v1Behaviour
	surfaces    surfacesBehaviour
	tasks       tasksBehaviour
	list        listBehaviour
	sse         sseBehaviour
	auth        authBehaviour
	errors      errorsBehaviour
	extensions  extensionsBehaviour
	idempotency idempotencyBehaviour
	hitl        hitlBehaviour
	admin       adminBehaviour
	metrics     metricsBehaviour
	push        pushBehaviour
	output      outputBehaviour
	pty         ptyBehaviour
}

// conformant is the behaviour that keeps the contract.
func conformant() *behaviour {
	return &behaviour{
		card:        conformantCard,
		v1:          conformantV1,
		surfaces:    conformantSurfaces,
		tasks:       conformantTasks,
		list:        conformantList,
		sse:         conformantSSE,
		auth:        conformantAuth,
		errors:      conformantErrors,
		extensions:  conformantExtensions,
		idempotency: conformantIdempotency,
		hitl:        conformantHITL,
		admin:       conformantAdmin,
		metrics:     conformantMetrics,
		push:        conformantPush,
		output:      conformantOutput,
		pty:         conformantPTY,
	}
}

// faultTables are the faults by topic; a name stands in one of them only.
var faultTables = []map[string]func(*behaviour){
	cardFaults, signatureFaults, v1Faults, surfaceFaults, prefixFaults, taskFaults, readFaults, lifeFaults, sseFaults, authFaults, errorFaults,
	extensionFaults, idempotencyFaults, hitlFaults, tenantFaults, adminFaults, instanceFaults, feedFaults, provisioningFaults,
	storageFaults, metricsFaults,
	pushFaults, pushConfigFaults, pushDeliveryFaults, outputFaults, ptyFaults,
}

// Faults returns the names of all faults, sorted.
func Faults() []string {
	var names []string
	for _, table := range faultTables {
		names = slices.AppendSeq(names, maps.Keys(table))
	}
	slices.Sort(names)
	return names
}

// broken is the conformant behaviour with the named faults.
func broken(names []string) (*behaviour, error) {
	b := conformant()
	for _, name := range names {
		apply := fault(name)
		if apply == nil {
			return nil, fmt.Errorf("no fault %q%s", name, points.Suggest(name, Faults()))
		}
		apply(b)
	}
	return b, nil
}

func fault(name string) func(*behaviour) {
	for _, table := range faultTables {
		if apply := table[name]; apply != nil {
			return apply
		}
	}
	return nil
}
