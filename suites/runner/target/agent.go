// SPDX-License-Identifier: Apache-2.0

package target

import (
	"sync/atomic"
)

// An Agent is a target with its interfaces of A2A 1.0: what operations can be sent to, and in which form they are taken. An
// executor of agentic-sandbox has none; its routes are written in the suites.
type Agent struct {
	Target

	Interfaces      []*Endpoint // what operations can be sent to
	Endpoints       []*Endpoint // of them the first of each binding
	withheld        []*Endpoint // interfaces at other origins which want credentials that are not sent there
	Required        []any       // URIs of the extensions that every request has to name
	Optional        []any       // URIs of the other extensions that the card declares
	CardURL         string      // where the card was found
	sendsJSON       atomic.Bool // REST bodies go out as application/json, because the recommended type was refused
	TakesA2A        atomic.Bool // a REST body of the recommended type was taken
	SubscribesByGet atomic.Bool // the target's route of SubscribeToTask is one of GET
	Messages        SentMessages
}
