// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/suites/profiles"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
)

// tokens says of each token that is a JWT whether it is valid now. Nothing of it is shown but its times.
func (d *doctor) tokens(context.Context) bool {
	now := time.Now()
	if d.skew.known && d.skew.ahead.Abs() > oddSkew {
		now = now.Add(d.skew.ahead) // it is the target that judges
	}
	for _, identity := range slices.Sorted(maps.Keys(d.Explicit)) {
		begins, ends, is := lifetime(d.Explicit[identity])
		if !is {
			continue
		}
		what := "the token of " + identity
		switch {
		case !ends.IsZero() && now.After(ends):
			d.say("token", Failing, fmt.Sprintf("%s expired on %s", what, day(ends)), "get a new one")
		case !begins.IsZero() && now.Before(begins):
			d.say("token", Failing, fmt.Sprintf("%s is valid from %s only", what, day(begins)), "is one of the clocks wrong?")
		case !ends.IsZero() && ends.Sub(now) < d.limits.Whole:
			d.say("token", Warning, fmt.Sprintf("%s expires on %s, in %s, and a run may take %s (--max-time)", what, day(ends), shortly(ends.Sub(now)), d.limits.Whole),
				"get one that lives longer")
		case !ends.IsZero():
			d.well("token", "%s is valid until %s", what, day(ends))
		}
	}
	return true
}

// lifetime reads nbf and exp of a JWT (RFC 7519); a token that is none has no lifetime to see.
func lifetime(token string) (begins, ends time.Time, is bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return begins, ends, false
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return begins, ends, false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return begins, ends, false
	}
	begins, ends = instant(members["nbf"]), instant(members["exp"])
	return begins, ends, !begins.IsZero() || !ends.IsZero()
}

// instant is a NumericDate; the zero time when there is none, or none that a calendar has.
func instant(text json.RawMessage) time.Time {
	var seconds *float64
	if json.Unmarshal(text, &seconds) != nil || seconds == nil || math.Abs(*seconds) > 1e11 {
		return time.Time{}
	}
	return time.Unix(int64(*seconds), 0)
}

// credentials asks who is let in.
func (d *doctor) credentials(ctx context.Context) bool {
	own := &target.Probe{URL: target.Join(d.Place.API, "tasks"), Identity: "instance"}
	nobody := &target.Probe{URL: own.URL, Identity: target.Anonymous}
	instances := &target.Probe{URL: target.Join(d.Place.Admin, "instances"), Identity: "admin"}
	d.Ask(ctx, own, nobody, instances)
	if ctx.Err() != nil {
		return false
	}
	if target.Refused(own) || target.Refused(instances) {
		d.swapped = d.Swapped(ctx, own, instances)
	}
	ok := d.instanceToken(own, nobody)
	return d.adminToken(instances) && ok
}

// lookedAt asks who is let in at a server that is taken as it is, where its profile says what is asked.
func (d *doctor) lookedAt(ctx context.Context) bool {
	if d.Profile.LooksAt == "" {
		return true
	}
	base := target.PlainURL(d.Config.ExecutorURL)
	d.Place = target.PlaceOf(d.Config, base, base, d.Config.Instance)
	own := &target.Probe{URL: target.Join(base, d.Profile.LooksAt), Identity: "instance"}
	nobody := &target.Probe{URL: own.URL, Identity: target.Anonymous}
	d.Ask(ctx, own, nobody)
	return ctx.Err() == nil && d.instanceToken(own, nobody)
}

// swapThem is what to do about tokens that the target takes the other way round.
const swapThem = "swap them: the target takes the token of --admin-token as the instance's, and that of --token as the admin's"

func (d *doctor) instanceToken(own, nobody *target.Probe) bool {
	token := d.Token("instance") != ""
	seen := fmt.Sprintf("GET %s with the instance token: %s", own.URL, target.Answered(own.Answer))
	if !token {
		seen = fmt.Sprintf("GET %s without a token: %s", own.URL, target.Answered(own.Answer))
	}
	if said := own.Answer.Header.Get("WWW-Authenticate"); target.Refused(own) && said != "" {
		seen += "; WWW-Authenticate: " + plaintext.Brief(said)
	}
	switch status := own.Answer.Status; {
	case target.Refused(own) && !token:
		return d.stop(report.Unauthorized, "credentials", seen, "give a token: --token-file, or AGENTIC_SANDBOX_CONFORMANCE_TOKEN")
	case target.Refused(own) && d.swapped:
		return d.stop(report.Unauthorized, "credentials", seen, swapThem)
	case target.Refused(own):
		do := "is it the token of this deployment and this instance?"
		if own.Answer.Status == nobody.Answer.Status {
			do += " The answer is the same without one: a proxy may take the Authorization header away"
		}
		return d.stop(report.Unauthorized, "credentials", seen, do)
	case status >= 300 && status <= 399:
		return !d.redirected(own.Answer)
	case status != http.StatusOK:
		do := "is this the address of an instance, and does the proxy pass its paths on below /v1?"
		if d.Profile.Finds == profiles.AServer {
			do = d.Profile.Doubt + " The URL is " + d.Profile.Give
		}
		d.say("credentials", Failing, seen, do)
		return true
	case token && nobody.Answer.Status == http.StatusOK:
		d.say("credentials", Warning, seen+", and without one too", "the target accepts requests without credentials; a run with --require-auth judges that")
	case token:
		d.well("credentials", "%s, without one %d", seen, nobody.Answer.Status)
	default:
		d.well("credentials", "%s", seen)
	}
	return true
}

func (d *doctor) adminToken(instances *target.Probe) bool {
	given := d.Explicit.Has("admin")
	seen := fmt.Sprintf("GET %s with the admin token: %s", instances.URL, target.Answered(instances.Answer))
	switch {
	case given:
	case d.Token("admin") != "":
		seen = fmt.Sprintf("GET %s with the instance token: %s", instances.URL, target.Answered(instances.Answer))
	default:
		seen = fmt.Sprintf("GET %s without a token: %s", instances.URL, target.Answered(instances.Answer))
	}
	switch {
	case target.Refused(instances) && d.swapped:
		return d.stop(report.Unauthorized, "admin", seen, swapThem)
	case target.Refused(instances) && given:
		return d.stop(report.Unauthorized, "admin", seen, "is it the admin token of this deployment?")
	case target.Refused(instances):
		d.say("admin", Note, seen+"; what needs the admin surface is skipped", "give --admin-token-file")
	case instances.Answer.Status != http.StatusOK:
		d.say("admin", Warning, seen, "is the admin surface somewhere else? --admin-url names it")
	default:
		d.well("admin", "%s, with %d instances that are ready", seen, len(target.Ready(instances.Answer)))
	}
	return true
}
