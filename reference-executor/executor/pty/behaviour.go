// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"crypto/tls"
	"maps"
	"net/http"
)

// A Behaviour is everything at which terminals can break the contract; what each part decides stands in the file of its
// topic. Faults edit it.
type Behaviour struct {
	upgrade    upgradeBehaviour
	wire       wireBehaviour
	reading    readingBehaviour
	outgoing   outgoingBehaviour
	hello      helloBehaviour
	operations map[string]operation // never changed in place: see setOperation
	tasks      tasksBehaviour
	join       joinBehaviour
	roles      rolesBehaviour
	stream     streamBehaviour
	replay     replayBehaviour
	terminal   terminalBehaviour
	errors     errorsBehaviour
	ending     endingBehaviour
	sessionID  func() string               // of a session that is made
	card       func(params map[string]any) // changes the params of the extension in the cards
	limits     func(limits) limits         // what the cards declare, and holds
}

// Conformant is the behaviour that keeps the contract.
func Conformant() Behaviour { return conformant }

var conformant = Behaviour{
	upgrade:    conformantUpgrade,
	wire:       conformantWire,
	reading:    conformantReading,
	outgoing:   conformantOutgoing,
	hello:      conformantHello,
	operations: operations,
	tasks:      conformantTasks,
	join:       conformantJoin,
	roles:      conformantRoles,
	stream:     conformantStream,
	replay:     conformantReplay,
	terminal:   conformantTerminal,
	errors:     conformantErrors,
	ending:     conformantEnding,
	sessionID:  newUUIDv7,
	card:       func(map[string]any) {},
	limits:     func(l limits) limits { return l },
}

// ServesPlain says whether a request that came without TLS is served where there is TLS as well.
func (b *Behaviour) ServesPlain(r *http.Request) bool { return b.upgrade.plain(r) }

// ClientAuth is what becomes of a client certificate in the handshake of TLS.
func (b *Behaviour) ClientAuth() tls.ClientAuthType { return b.upgrade.clientAuth() }

// Faults are the named edits of a behaviour that break the contract.
var Faults = merged(sizeFaults, announcementFaults, snapshotFaults, leavingFaults, closedFaults, repaintFaults, failureFaults, laterFailureFaults,
	cadenceFaults, upgradeFaults, scopeFaults, envelopeFaults, readingFaults, foreignSessionFaults, helloFaults, greetingFaults, taskFaults, serviceParameterFaults, errorFaults,
	replayFaults, streamFaults, keepaliveFaults, binaryFaults, joinFaults, roleFaults, rosterFaults, terminalFaults, keyframeFaults,
	endingFaults, flushFaults, joinReadingFaults, labelFaults, activationFaults, assignmentFaults, listingFaults, onlookerFaults,
	inputFaults, resizeFaults, observerFaults, hostFaults, staleFaults, binaryPathFaults, anotherRoleFaults, subscriptionFaults,
	requestFaults, downgradeFaults, offerFaults, framingFaults, binaryEndFaults, vacancyFaults, byteFaults, viewFaults,
	errorIDFaults, inputOrderFaults, longOutputFaults, handshakeFaults, countingFaults)

func merged(tables ...map[string]func(*Behaviour)) map[string]func(*Behaviour) {
	all := map[string]func(*Behaviour){}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}
