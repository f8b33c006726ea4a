// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"sync/atomic"
)

// An agent is a target with its interfaces of A2A 1.0: what operations can be sent to, and in which form they are taken. An
// executor of agentic-sandbox has none; its routes are written in the suites.
type agent struct {
	site

	interfaces      []*endpoint // what operations can be sent to
	endpoints       []*endpoint // of them the first of each binding
	withheld        []*endpoint // interfaces at other origins which want credentials that are not sent there
	required        []any       // URIs of the extensions that every request has to name
	optional        []any       // URIs of the other extensions that the card declares
	cardURL         string      // where the card was found
	sendsJSON       atomic.Bool // REST bodies go out as application/json, because the recommended type was refused
	takesA2A        atomic.Bool // a REST body of the recommended type was taken
	subscribesByGet atomic.Bool // the target's route of SubscribeToTask is one of GET
	messages        sentMessages
}
