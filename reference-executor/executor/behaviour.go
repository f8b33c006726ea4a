// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor/pty"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"
)

// behaviour holds every point at which the executor can be made to break the contract, a member for each topic. The
// type of a member, its conformant value and what each point decides stand in the file of the topic; its faults stand in
// faults_TOPIC.go. Terminals are a package of their own, with their faults.
type behaviour struct {
	transport   transportBehaviour
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
	pty         pty.Behaviour
}

// conformant is the behaviour that keeps the contract.
func conformant() *behaviour {
	return &behaviour{
		transport:   conformantTransport,
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
		pty:         pty.Conformant(),
	}
}

// faults by topic.
var faults = points.Faults[behaviour]{
	cardFaults, signatureFaults, v1Faults, surfaceFaults, taskFaults, taskContextFaults, extendedCardFaults, readFaults, listFaults, listPageFaults, lifeFaults, sseFaults, sseIDFaults, framingFaults, besideFaults, untoldFaults, messageFaults, waitingFaults, authFaults, errorFaults, refusedRequestFaults, extensionFaults, extensionEchoFaults, runtimeFaults,
	idempotencyFaults, idempotencyScopeFaults, messageIDFaults, collisionFaults, hitlFaults, hitlAnswerFaults, hitlRefusalFaults, tenantFaults, adminFaults, instanceFaults, feedFaults,
	provisioningFaults, storageFaults, metricsFaults, pushFaults, pushConfigFaults, pushDeliveryFaults, outputFaults, ofTerminals(pty.Faults),
	terminalFaults, restartedTaskFaults, filteredListFaults, payloadFaults, receiverFaults, envelopeFaults, jsonFaults, strangerFaults, strangeInstanceFaults,
}

// ofTerminals are faults of terminals as edits of the whole behaviour.
func ofTerminals(faults map[string]func(*pty.Behaviour)) map[string]func(*behaviour) {
	whole := map[string]func(*behaviour){}
	for name, apply := range faults {
		whole[name] = func(b *behaviour) { apply(&b.pty) }
	}
	return whole
}

// Faults returns the names of all faults, sorted.
func Faults() []string { return faults.Names() }

// Edited names the points of behaviour that a fault changes ("tasks.cancel", "pty.join.role"), sorted. whole is true when
// it changes something that decides without being asked, a number or a switch, so that nobody can watch its use; and for
// a fault that does not exist.
func Edited(name string) (changed []string, whole bool) { return faults.Edited(name, conformant) }
