// SPDX-License-Identifier: Apache-2.0

package executor

import "maps"

// ptyFaults are the faults of the terminal half, by topic.
var ptyFaults = merged(sizeFaults, announcementFaults, snapshotFaults, leavingFaults, closedFaults, repaintFaults, failureFaults, cadenceFaults,
	advertisementFaults, upgradeFaults, scopeFaults, envelopeFaults, ptyReadingFaults, helloFaults, greetingFaults, ptyTaskFaults, ptyErrorFaults,
	replayFaults, streamFaults, keepaliveFaults, binaryFaults, joinFaults, roleFaults, rosterFaults, terminalFaults,
	keyframeFaults, endingFaults, flushFaults, joinReadingFaults, labelFaults, activationFaults, assignmentFaults, listingFaults,
	overlookedFaults, onlookerFaults, inputFaults, resizeFaults, observerFaults, hostFaults, staleFaults)

func merged(tables ...map[string]func(*behaviour)) map[string]func(*behaviour) {
	all := map[string]func(*behaviour){}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}
