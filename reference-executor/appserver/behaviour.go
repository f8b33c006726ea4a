// SPDX-License-Identifier: Apache-2.0

package appserver

// behaviour holds every point at which the server can be made to break the contract, a member for each topic. The type of a
// member, its conformant value and what each point decides stand in the file of the topic; its faults stand in
// faults_TOPIC.go.
type behaviour struct {
	http          httpBehaviour
	failure       failureBehaviour
	traffic       trafficBehaviour
	routes        routesBehaviour
	access        accessBehaviour
	privacy       privacyBehaviour
	users         usersBehaviour
	page          pageBehaviour
	count         countBehaviour
	batch         batchBehaviour
	times         timesBehaviour
	request       requestBehaviour
	conversations conversationsBehaviour
	starts        startsBehaviour
	stream        streamBehaviour
	events        eventsBehaviour
	storage       storageBehaviour
	sandboxes     sandboxesBehaviour
	agents        agentsBehaviour
	webhooks      webhooksBehaviour
	secrets       secretsBehaviour
	legacy        legacyBehaviour
	document      documentBehaviour
}

// conformant is the behaviour that keeps the contract.
func conformant() *behaviour {
	return &behaviour{
		http:          conformantHTTP,
		failure:       conformantFailure,
		traffic:       conformantTraffic,
		routes:        conformantRoutes(),
		access:        conformantAccess,
		privacy:       conformantPrivacy,
		users:         conformantUsers,
		page:          conformantPage,
		count:         conformantCount,
		batch:         conformantBatch,
		times:         conformantTimes,
		request:       conformantRequest,
		conversations: conformantConversations,
		starts:        conformantStarts,
		stream:        conformantStream,
		events:        conformantEvents,
		storage:       conformantStorage,
		sandboxes:     conformantSandboxes,
		agents:        conformantAgents,
		webhooks:      conformantWebhooks,
		secrets:       conformantSecrets,
		legacy:        conformantLegacy,
		document:      conformantDocument,
	}
}
