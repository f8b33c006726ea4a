// SPDX-License-Identifier: Apache-2.0

package fleet

import "github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"

// behaviour holds every point at which the server can be made to break the contract, a member for each topic. The type of a
// member, its conformant value and what each point decides stand in the file of the topic; its faults stand in
// faults_TOPIC.go.
type behaviour struct {
	http       httpBehaviour
	routes     routesBehaviour
	card       cardBehaviour
	fields     fieldsBehaviour
	isolation  isolationBehaviour
	extensions extensionsBehaviour
	fleet      fleetBehaviour
	input      inputBehaviour
	messages   messagesBehaviour
	tasks      tasksBehaviour
	inbox      inboxBehaviour
	proxy      proxyBehaviour
}

// conformant is the behaviour that keeps the contract.
func conformant() *behaviour {
	return &behaviour{
		http:       conformantHTTP,
		routes:     conformantRoutes(),
		card:       conformantCard,
		fields:     conformantFields,
		isolation:  conformantIsolation,
		extensions: conformantExtensions,
		fleet:      conformantFleet,
		input:      conformantInput,
		messages:   conformantMessages,
		tasks:      conformantTasks,
		inbox:      conformantInbox,
		proxy:      conformantProxy,
	}
}

// faults by topic.
var faults = points.Faults[behaviour]{
	routeFaults, oldRouteFaults, cardFaults, interfaceFaults, namespaceFaults, fieldFaults, isolationFaults, fleetFaults,
	extensionFaults, messageFaults, taskFaults, inboxFaults, frameFaults, readerFaults, proxyFaults,
}

// Faults returns the names of all faults, sorted.
func Faults() []string { return faults.Names() }

// Edited names the points of behaviour that a fault changes ("inbox.takes"), sorted. whole is true when it changes
// something that decides without being asked, a number or a switch, so that nobody can watch its use; and for a fault that
// does not exist.
func Edited(name string) (changed []string, whole bool) { return faults.Edited(name, conformant) }
