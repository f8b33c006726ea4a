// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"
)

// behaviour holds every point at which the server can be made to break the protocol, a member for each topic. The type of
// a member, its conformant value and what each point decides stand in the file of the topic; its faults stand in
// faults_TOPIC.go.
type behaviour struct {
	card       cardBehaviour
	signature  signatureBehaviour
	http       httpBehaviour
	rest       restBehaviour
	rpc        rpcBehaviour
	grpc       grpcBehaviour
	errors     errorsBehaviour
	input      inputBehaviour
	tasks      tasksBehaviour
	agent      agentBehaviour
	list       listBehaviour
	stream     streamBehaviour
	push       pushBehaviour
	versions   versionsBehaviour
	extensions extensionsBehaviour
	security   securityBehaviour
	output     outputBehaviour
	legacy     legacyBehaviour
}

// conformant is the behaviour that keeps the protocol.
func conformant() *behaviour {
	return &behaviour{
		card:       conformantCard,
		signature:  conformantSignature,
		http:       conformantHTTP,
		rest:       conformantREST,
		rpc:        conformantRPC,
		grpc:       conformantGRPC,
		errors:     conformantErrors,
		input:      conformantInput,
		tasks:      conformantTasks,
		agent:      conformantAgent,
		list:       conformantList,
		stream:     conformantStream,
		push:       conformantPush,
		versions:   conformantVersions,
		extensions: conformantExtensions,
		security:   conformantSecurity,
		output:     conformantOutput,
		legacy:     conformantLegacy,
	}
}

// faultTables are the faults by topic; a name stands in one of them only.
var faultTables = []map[string]func(*behaviour){
	cardFaults, signatureFaults, restFaults, taskFaults, listFaults, pageFaults, cancelFaults, errorFaults, streamFaults, pushFaults, deliveryFaults, versionFaults,
	objectFaults, formFaults,
	grpcFaults,
	extensionFaults, migrationFaults, rpcFaults, equivalenceFaults, securityFaults,
	cardMemberFaults,
	migrationCardFaults, migrationRouteFaults, securityTaskFaults, securityErrorFaults,
	restRouteFaults, restSendingFaults, restContextFaults, restReadingFaults,
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
			return nil, fmt.Errorf("no fault %q%s", name, suggestion(name))
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

// Edited names the points of behaviour that a fault changes ("tasks.cancels"), sorted. whole is true when it changes
// something that decides without being asked, a number or a switch, so that nobody can watch its use; and for a fault that
// does not exist.
func Edited(name string) (changed []string, whole bool) {
	apply := fault(name)
	if apply == nil {
		return nil, true
	}
	is := conformant()
	apply(is)
	return points.Edited(conformant(), is)
}

// suggestion names the fault that shares most words with an unknown name, and of several the one that begins most like it.
func suggestion(name string) string {
	best, most, alike := "", 0, 0
	words := strings.Split(strings.ToLower(name), "-")
	for _, known := range Faults() {
		shared := 0
		for _, word := range strings.Split(known, "-") {
			if slices.Contains(words, word) {
				shared += len(word)
			}
		}
		if begins := commonPrefix(known, name); shared > most || shared == most && begins > alike {
			best, most, alike = known, shared, begins
		}
	}
	if most < 4 {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
