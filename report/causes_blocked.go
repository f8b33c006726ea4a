// SPDX-License-Identifier: Apache-2.0

package report

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// foldBehind puts what is blocked under what blocks it: a test that needs first what another test is about is blocked with the
// very finding that the other one fails with. The other one may have more findings; the blocked one has just this.
func (r *causeRun) foldBehind() {
	failing := map[string]int{} // the first result that fails with a finding
	for i := range r.symptoms {
		for k := range r.symptoms[i] {
			if d := &r.symptoms[i][k]; !d.blocked {
				if key := behindKey(d); key != "" && !contains(failing, key) {
					failing[key] = i
				}
			}
		}
	}
	for i := range r.symptoms {
		if r.Results[i].Cause != "" || len(r.symptoms[i]) != 1 || !r.symptoms[i][0].blocked {
			continue
		}
		key := behindKey(&r.symptoms[i][0])
		before, found := failing[key]
		if key == "" || !found {
			continue
		}
		c := r.causeOf(before, key)
		r.Results[i].Cause = c.ID
		c.Tests = append(c.Tests, r.Results[i].ID)
		r.inSuiteOrder(c.Tests)
	}
}

func contains(m map[string]int, key string) bool { _, is := m[key]; return is }

// behindKey is of the same finding about the same route, or at the same place of the card. A status alone has too many reasons.
func behindKey(d *symptom) string {
	if d.subject == "" || d.subject == "status" || d.observed == "" {
		return ""
	}
	return normaliseText(d.route + "\x00" + d.subject + "\x00" + d.observed + "\x00" + d.expected)
}

// causeOf is the cause of a failing result, made when it stands alone.
func (r *causeRun) causeOf(failing int, key string) *Cause {
	id := r.Results[failing].Cause
	if id == "" {
		sum := sha256.Sum256([]byte(CauseFinding + "\x00" + key))
		id = CauseFinding + "-" + hex.EncodeToString(sum[:4])
	}
	if at := slices.IndexFunc(r.Causes, func(c Cause) bool { return c.ID == id }); at >= 0 {
		if r.Results[failing].Cause == "" {
			r.Results[failing].Cause = id
			r.Causes[at].Tests = append(r.Causes[at].Tests, r.Results[failing].ID)
		}
		return &r.Causes[at]
	}
	var symptoms []*symptom
	for k := range r.symptoms[failing] {
		if d := &r.symptoms[failing][k]; behindKey(d) == key {
			symptoms = append(symptoms, d)
		}
	}
	c := Cause{ID: id, Kind: CauseFinding, Tests: []string{r.Results[failing].ID}}
	c.Says, c.Fix = findingSays(key, symptoms)
	c.Says, c.Fix = show.Clip(PlainNames(c.Says), 1000), show.Clip(PlainNames(c.Fix), 1000)
	r.Results[failing].Cause = id
	r.Causes = append(r.Causes, c)
	return &r.Causes[len(r.Causes)-1]
}

// inSuiteOrder sorts ids of tests as the results are.
func (r *causeRun) inSuiteOrder(ids []string) {
	at := make(map[string]int, len(r.Results))
	for i := range r.Results {
		at[r.Results[i].ID] = i
	}
	slices.SortFunc(ids, func(a, b string) int { return at[a] - at[b] })
}
