// SPDX-License-Identifier: Apache-2.0

package suites

import (
	"fmt"
	"strconv"
)

// A ToldPart is steps inside a step.
type ToldPart struct {
	Says  string // "each client first"; "" where there is one part
	Steps []*Step
}

func tellTogether(do Action) Telling {
	all := do.(Together)
	clients := all.Number
	if clients == "" {
		clients = strconv.Itoa(all.Clients)
	}
	t := Telling{Does: "let " + clients + " clients do this at once", Of: "all clients together"}
	if all.AtOnce > 0 {
		t.Does = fmt.Sprintf("let %s clients do this, %d at a time", clients, all.AtOnce)
		if all.Far > 0 {
			t.Does += fmt.Sprintf(" (%d where the target is far away and copes)", all.Far)
		}
	}
	for _, let := range all.Let {
		t.lines("${%s} is, for each client, %s", let.Name, Brief(let.Value))
	}
	if len(all.Given) > 0 {
		t.Parts = append(t.Parts, ToldPart{"each client first, as preparation", all.Given})
	}
	t.Parts = append(t.Parts, ToldPart{"each client", all.Steps})
	return t
}

func tellIf(do Action) Telling {
	all := do.(If)
	t := Telling{Does: "do this where " + all.Name + " is true", Of: "what is done where " + all.Name + " is true"}
	t.inside(all.Given, all.Steps)
	return t
}

func tellPart(do Action) Telling {
	all := do.(Part)
	t := Telling{Does: "do what follows, or as much of it as is needed: " + all.Says, Of: "what this part does"}
	t.inside(all.Given, all.Steps)
	return t
}

// inside adds the steps of which an action is made, and what prepares them.
func (t *Telling) inside(given, steps []*Step) {
	if len(given) > 0 {
		t.Parts = append(t.Parts, ToldPart{"first, as preparation", given})
	}
	t.Parts = append(t.Parts, ToldPart{"", steps})
}

func tellUse(do Action) Telling {
	u := do.(Use)
	t := Telling{Does: "do the shared steps " + u.Name, Of: "the shared steps " + u.Name, Parts: []ToldPart{{"", u.Steps}}}
	if u.Optional {
		t.lines("where they cannot be done, the rest is judged without them")
	}
	return t
}
