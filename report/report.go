// SPDX-License-Identifier: Apache-2.0

// Package report is what a run found, and what that comes to: the verdict, the causes that tests have in common, and
// whether the operator's policy is met.
//
// A [Run] is the whole of it: the JSON report is a Run written out, and every other format is rendered from a Run alone,
// so that no format can know more than the canonical one. The other formats are packages above this one, and take a run
// only once it is [Settled]. The target's text is hostile wherever it appears here: a format escapes or fences it, never
// trusts it. Secrets are removed before anything reaches this package.
package report

import "time"

// Schema names the form of the JSON report; it only ever grows.
const Schema = "agentic-sandbox-conformance/report/v1"

// A Run is one run of the suites against one target.
type Run struct {
	Schema     string    `json:"schema"`
	Title      string    `json:"title,omitempty"`
	Tool       Tool      `json:"tool"`
	Suites     SuiteSet  `json:"suites"`
	Target     Target    `json:"target"`
	StartedAt  time.Time `json:"startedAt"`
	DurationMS int64     `json:"durationMs"`
	Flags      []Flag    `json:"flags"`
	Verdict    Verdict   `json:"verdict"`
	Because    string    `json:"because"`              // the verdict in one sentence
	Partial    []string  `json:"partial,omitempty"`    // why this is not the whole profile: "--run", "interrupted"
	Diagnostic string    `json:"diagnostic,omitempty"` // what the run reads that is not the contract: "pty-dialect:compact"
	Warnings   []string  `json:"warnings,omitempty"`   // about the run itself: --insecure, a time factor
	Machine    string    `json:"machine,omitempty"`    // how the harness's own machine, being busy, let waits go on beyond their limits; empty: none did
	Summary    Summary   `json:"summary"`
	Preflight  []Finding `json:"preflight,omitempty"` // what was found before any test ran
	Policy     []string  `json:"policy,omitempty"`    // each way in which the operator's policy was not met: a stale waiver, a budget exceeded
	Policies   []Policy  `json:"policies,omitempty"`  // the operator's policy, and whether the run meets it
	Budget     []Budget  `json:"budget,omitempty"`    // the skips that the operator allows
	Routes     []Route   `json:"routes,omitempty"`    // every route of the target that was asked
	Causes     []Cause   `json:"causes,omitempty"`    // what several tests met, the one that breaks most first, and last those of failures that are late; always computed from the results
	Late       *Late     `json:"late,omitempty"`      // of the failures of which nothing is known but that something did not come in time; always computed from the results
	Roots      []Root    `json:"roots,omitempty"`     // what the suites say of findings that several tests may have in common
	Rulings    []Ruling  `json:"rulings,omitempty"`   // that findings of what is broken or warned of name
	Next       *Next     `json:"next,omitempty"`      // what to configure so that more is measured; nil: nothing would help, or the run ended early
	Claims     []Claim   `json:"claims"`
	Results    []Result  `json:"results"` // in suite order
}

// Tool is the program that made the report.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
}

// SuiteSet is what was asked: the profile and the digest of its files.
type SuiteSet struct {
	Profile  string    `json:"profile"`
	Digest   string    `json:"digest"`
	Version  string    `json:"version"`            // of the suites, not of the program that brings them
	Contract *Contract `json:"contract,omitempty"` // nil where the program has no list of its requirements
	Chosen   *Chosen   `json:"chosen,omitempty"`   // who decided for the profile where the operator named none; nil: he did, or nothing spoke against the default
}

// Chosen is who decided for the profile that was played, and by what.
type Chosen struct {
	By      string `json:"by"`      // "card"
	Because string `json:"because"` // "the card at https://agent.example/.well-known/agent-card.json declares A2A 1.0 over JSONRPC, ..."
}

// ChosenByCard is said of a profile that the card of the target has decided for.
const ChosenByCard = "card"

// Contract is what the suites judge by.
type Contract struct {
	Name         string `json:"name"`         // "A2A specification 1.0.1"
	Requirements int    `json:"requirements"` // that it has, also those without a test
	Rulings      int    `json:"rulings"`      // on what it leaves open
	SHA256       string `json:"sha256"`       // of both, hex: the revision
}

// Revision is the revision of a contract, "" where it is not known.
func (c *Contract) Revision() string {
	if c == nil {
		return ""
	}
	return c.SHA256
}

// Target is who was asked.
type Target struct {
	ExecutorURL string `json:"executorUrl"`
	InstanceID  string `json:"instanceId,omitempty"`
	AdminURL    string `json:"adminUrl,omitempty"`
	CardSHA256  string `json:"cardSha256,omitempty"`
	CardName    string `json:"cardName,omitempty"`
	CardVersion string `json:"cardVersion,omitempty"`
	ImplCommit  string `json:"implCommit,omitempty"`
	// StartedBy is the command that has started the target itself and plays against it, word by word, as demo does; nil: it was there before.
	StartedBy []string `json:"startedBy,omitempty"`
	// CredentialsSentTo are the origins that were sent a token or a header of the operator: "https://agent.example".
	CredentialsSentTo []string `json:"credentialsSentTo,omitempty"`
}

// A Flag is one setting of the run, never a secret.
type Flag struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Verdict is the run in one word.
type Verdict string

// The verdicts.
const (
	Passed       Verdict = "pass"
	Failed       Verdict = "fail"
	Incomplete   Verdict = "incomplete"
	Unreachable  Verdict = "unreachable"
	Unauthorized Verdict = "unauthorized"
)

// Summary counts the results by outcome; it is always computed from them.
type Summary struct {
	Pass    int `json:"pass"`
	Fail    int `json:"fail"`
	Warn    int `json:"warn"`
	Skip    int `json:"skip"`
	Blocked int `json:"blocked"`
	Waived  int `json:"waived"`
}

// An Outcome is what became of one test.
type Outcome string

// The outcomes.
const (
	Pass    Outcome = "pass"
	Fail    Outcome = "fail"    // a MUST or MUST NOT was broken
	Warn    Outcome = "warn"    // a SHOULD or SHOULD NOT was broken, or a ruling softens the level
	Skip    Outcome = "skip"    // does not apply, or something that it needs is not configured; Reason says which
	Blocked Outcome = "blocked" // applies, but could not be exercised; Cause names the finding that blocks it
)

// A Result is what became of one test.
type Result struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Surface     string     `json:"surface"`
	Level       string     `json:"level"` // "MUST", "SHOULD NOT", ...
	Requirement string     `json:"requirement"`
	Source      string     `json:"source"`
	Docs        string     `json:"docs,omitempty"` // address of the page about the requirement: [Result.DocsLink]
	Suite       string     `json:"suite"`          // file:line
	Outcome     Outcome    `json:"outcome"`
	Cause       string     `json:"cause,omitempty"`  // the id of the cause that it shares with others
	Reason      *Reason    `json:"reason,omitempty"` // of a skip or a block
	Findings    []Finding  `json:"findings,omitempty"`
	Held        []string   `json:"held,omitempty"` // of what is broken or warned of: the cases in which nothing was found
	Notes       []string   `json:"notes,omitempty"`
	Claims      []string   `json:"claims,omitempty"` // the claims this test exercises
	Faults      []string   `json:"faults,omitempty"` // faults of the reference executor: of what is broken those that show the same, else those that would be seen
	Evidence    []Evidence `json:"evidence,omitempty"`
	Repro       *Repro     `json:"repro,omitempty"`
	Waiver      *Waiver    `json:"waiver,omitempty"` // of a failure that the baseline accepts for now
	DurationMS  int64      `json:"durationMs"`
	WaitMS      int64      `json:"waitMs,omitempty"` // of it: waiting that the contract imposes
}

// A Reason says why a test was not judged. Code groups: "no-hook:restart", "claim:streaming", "slow", "blocked".
type Reason struct {
	Code   string `json:"code"`
	Detail string `json:"detail"`
	Cause  string `json:"cause,omitempty"` // of a block: the finding that tests blocked for one reason share
	// Finding is, of a block, what was wrong with the answer that the test needed.
	Finding *Finding `json:"finding,omitempty"`
}

// A Finding is one thing that is not as wanted: subject, seen, wanted.
type Finding struct {
	At       string  `json:"at"` // position in the suite
	Case     string  `json:"case,omitempty"`
	Part     string  `json:"part,omitempty"` // of the test's steps that the finding is about, as its suite calls it
	Subject  string  `json:"subject"`
	Observed string  `json:"observed"`
	Expected string  `json:"expected,omitempty"`
	Problem  string  `json:"problem"`           // the whole sentence
	InWords  string  `json:"inWords,omitempty"` // what it means, for a reader who does not know the condition; of notes and warnings
	Severity Outcome `json:"severity"`          // fail, warn; pass for a note
	Ruling   string  `json:"ruling,omitempty"`
	Route    string  `json:"route,omitempty"`   // of a judged answer: what was asked, as in Run.Routes; of what was seen on a connection: "WS " and its path; of what a document declares: "OpenAPI " and the operation
	Status   int     `json:"status,omitempty"`  // of that answer; 0: there was none
	Actor    string  `json:"actor,omitempty"`   // of a test with several clients: whose answer or connection it is; without a route the webhook that it was delivered to, as the exchange names it
	As       string  `json:"as,omitempty"`      // whose credentials the request carried, where the suite does not ask everything with these: "foreign"; "anonymous": none
	After    string  `json:"after,omitempty"`   // what the test had asked for before, where that bears on it: "DELETE /tasks/{id}, answered with 204"; on a connection the operation that its client sent last
	Nearest  string  `json:"nearest,omitempty"` // of a finding about alternatives: what is not as wanted by those that the binding in use can fit, the nearest first
	Where    string  `json:"where,omitempty"`   // of a finding about all answers of the run, which one it is about: "the answer to GET /tasks/{id}, 3rd of 17 such answers"
	SeenAt   string  `json:"seenAt,omitempty"`  // of a finding about the whole run: the routes that it was seen at, with how often
	Common   string  `json:"common,omitempty"`  // of a finding about the whole run: what all that is not as wanted has in common, and hardly anything else that was looked at
	Says     string  `json:"says,omitempty"`    // of an error that is not what was wanted: what the answer says of it, in the words of the target
	Curl     string  `json:"curl,omitempty"`    // asks it again
	Late     bool    `json:"late,omitempty"`    // it was waited for until the time was up, and that is all that is known
	Cause    string  `json:"cause,omitempty"`   // what it shares with findings and blocks of other tests, where the runner knows
}

// Evidence is one thing that passed between harness and target.
type Evidence struct {
	AtMS      int64  `json:"atMs"` // since the test began
	Actor     string `json:"actor,omitempty"`
	Kind      string `json:"kind"`             // request, response, event, frame-sent, frame, opened, closed, hook, webhook, note
	Head      string `json:"head"`             // one line: request line, status line, opcode and length
	Header    string `json:"header,omitempty"` // one a line
	Body      string `json:"body,omitempty"`
	BodyBytes int64  `json:"bodyBytes,omitempty"` // full length
	SHA256    string `json:"sha256,omitempty"`    // of the full body, when Body was cut
	Binary    bool   `json:"binary,omitempty"`    // Body is shown as printable escapes
	Judged    bool   `json:"judged,omitempty"`    // it is the request, or its answer, that the decisive finding is about
}

// Repro says how to see it again.
type Repro struct {
	Command string `json:"command"`
	Curl    string `json:"curl,omitempty"`
}

// A Waiver is an entry of the operator's baseline: a failure that is known and accepted for now. The outcome stays a
// failure; it is counted as waived instead.
type Waiver struct {
	Reason  string `json:"reason"`
	Owner   string `json:"owner,omitempty"`
	Issue   string `json:"issue,omitempty"`
	Expires string `json:"expires,omitempty"` // the last day it holds: "2027-01-31"
}

// A Budget is how many skips the operator allows for one reason.
type Budget struct {
	Code string `json:"code"` // a reason code, a glob of some ("no-hook:*"), or "others"
	Most int    `json:"most"`
	Used int    `json:"used,omitempty"` // the skips counted under it; each is counted under one entry
}

// A Route is an operation of the target that was asked: a method and a path in which {id} stands for whatever differs from
// test to test.
type Route struct {
	Route      string `json:"route"`                // "POST /agents/{id}/v1/messages:send"
	Statuses   []int  `json:"statuses,omitempty"`   // with which it has answered, each once, in order
	Unanswered bool   `json:"unanswered,omitempty"` // a request to it got no answer
}

// A Claim is something the card declares, or was seen without being declared, and what was measured of it.
type Claim struct {
	Name       string   `json:"name"` // "streaming", "https://.../runtime/v1", "HTTP+JSON", "bearer"
	Kind       string   `json:"kind"` // capability, extension, binding, security
	Declared   bool     `json:"declared"`
	Seen       bool     `json:"seen"`
	Tests      []string `json:"tests,omitempty"` // ids that exercise it
	Passed     int      `json:"passed"`
	Failed     int      `json:"failed"`
	Warned     int      `json:"warned"`
	Unmeasured int      `json:"unmeasured"`
	Why        []string `json:"why,omitempty"` // why tests were not measured
}
