// SPDX-License-Identifier: Apache-2.0

package plain

import "github.com/roctinam/agentic-sandbox-conformance/reference-executor/points"

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

// faults by topic.
var faults = points.Faults[behaviour]{
	cardFaults, signatureFaults, listFaults, pageFaults, cancelFaults, errorFaults, refusalFaults, serverErrorFaults, streamFaults, pushFaults, pushListFaults,
	deliveryFaults, versionFaults, objectFaults, grpcFaults, extensionFaults, migrationFaults, rpcFaults, equivalenceFaults, securityFaults,
	cardMemberFaults, migrationCardFaults, migrationRouteFaults, securityTaskFaults, securityErrorFaults, restRouteFaults, restSendingFaults,
	restTimeFaults, restNullDataFaults,
	restContextFaults, restRefusedFaults, restReadingFaults, queryFaults, cardCallerFaults, filterFaults, pushNeighbourFaults, streamAccessFaults, pushEndFaults,
	pushOfMessageFaults, streamReaderFaults, streamClientFaults, cardCopyFaults, pushAttemptFaults, keptPartFaults,
	rpcOperationFaults, keptAnswerFaults, refusedFaults, emptyMemberFaults, continuedStreamFaults, pushOriginFaults,
	unreadRequestFaults, anonymousFaults,
}

// Faults returns the names of all faults, sorted.
func Faults() []string { return faults.Names() }

// Edited names the points of behaviour that a fault changes ("tasks.cancels"), sorted. whole is true when it changes
// something that decides without being asked, a number or a switch, so that nobody can watch its use; and for a fault that
// does not exist.
func Edited(name string) (changed []string, whole bool) { return faults.Edited(name, conformant) }
