// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"

	"github.com/roctinam/agentic-sandbox-conformance/report/show"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/jsontext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/plaintext"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/target"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/wire"
)

// maxAddress is how much of an address is shown, in bytes: the paths of instances and terminals are long.
const maxAddress = 250

// maxInterfaces is how many interfaces of a card are tried.
const maxInterfaces = 10

// whoseClients is what to ask of an address in a card that leads nowhere from here.
const whoseClients = "is that an address which clients can reach from here? Clients find it in the card"

// addresses are the doctor's looks at where a card leads.
type addresses struct{ *doctor }

// interfaces says which of the interfaces that the card declares a run would send operations to.
func (d addresses) interfaces(context.Context) bool {
	if d.Card == nil || d.Facts.Older != "" {
		return true
	}
	if len(d.Interfaces) == 0 {
		do := "declare one over HTTP+JSON or JSONRPC, with protocolVersion 1.0 and an http or https url"
		if d.LeavesGRPC() {
			do = "one over GRPC needs a program that was built without the tag nogrpc"
		}
		d.say("interface", Failing, "the card declares no interface of A2A 1.0 that this program drives", do)
		return true
	}
	for _, e := range d.Interfaces {
		if d.IsTarget(e.URL) {
			d.well("interface", "%s at %s%s", e.Binding, e.URL, d.elsewhereThan(e.URL))
			continue
		}
		d.say("interface", Warning, fmt.Sprintf("%s at %s: the card came over TLS, and this is another host in the clear, so that no credentials are sent there", e.Binding, e.URL),
			"declare the https:// address")
	}
	return true
}

// elsewhereThan says that an address is on another host than the one that the operator gave; empty: it is not.
func (d addresses) elsewhereThan(address string) string {
	if at := target.Origin(address); at == "" || at == target.Origin(d.at.String()) {
		return ""
	}
	return ", which is another host, or port, than that of --executor-url"
}

// A declaredInterface is an entry of supportedInterfaces of a card.
type declaredInterface struct {
	binding, version string
	given            string   // its url, as far as it may be shown
	at               *url.URL // nil: it is no address that can be connected to
	open             bool     // the address has names to be filled in: {session_id}
}

// String is the interface in a sentence.
func (i *declaredInterface) String() string {
	binding := plaintext.Brief(i.binding)
	if binding == "" {
		binding = "an interface without a binding"
	}
	if i.version != "" {
		binding += " (protocolVersion " + plaintext.Brief(i.version) + ")"
	}
	return binding + " at " + i.given
}

// declaredInterfaces are those of the card.
func (d addresses) declaredInterfaces() (all []*declaredInterface, more int) {
	list, _ := readers.Member(jsontext.Parse(d.declared), "supportedInterfaces").([]any)
	for _, entry := range list[:min(len(list), maxInterfaces)] {
		i := &declaredInterface{binding: readers.MemberText(entry, "protocolBinding"), version: readers.MemberText(entry, "protocolVersion")}
		if i.binding == "" {
			i.binding = readers.MemberText(entry, "transport")
		}
		address := readers.MemberText(entry, "url")
		if i.given = strings.NewReplacer("%7B", "{", "%7D", "}").Replace(target.PlainURL(address)); len(i.given) > maxAddress {
			i.given = strings.ToValidUTF8(i.given[:maxAddress], "") + "…"
		}
		if u, err := url.Parse(strings.TrimSpace(address)); err == nil && u.Hostname() != "" && slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) {
			u.User, u.Scheme = nil, strings.Replace(u.Scheme, "ws", "http", 1) // over which an upgrade is asked for
			i.at, i.open = u, strings.Contains(address, "{")
		}
		all = append(all, i)
	}
	return all, len(list) - len(all)
}

// tried is what came of trying an interface.
type tried struct {
	grade    Grade
	seen, do string
}

// tryAll tries interfaces side by side and says in order what came of it.
func (d addresses) tryAll(ctx context.Context, all []*declaredInterface, try func(context.Context, *declaredInterface) tried) bool {
	results := make([]tried, len(all))
	var waiting sync.WaitGroup
	for n, i := range all {
		waiting.Go(func() {
			defer d.Guard("trying an interface")
			results[n] = try(ctx, i)
		})
	}
	waiting.Wait()
	if ctx.Err() != nil {
		return false
	}
	for _, r := range results {
		if r.grade != "" {
			d.say("interface", r.grade, r.seen, r.do)
		}
	}
	return true
}

// otherInterfaces tries the interfaces that no other check asks: those behind the first of each binding, and those that this program does
// not drive.
func (d addresses) otherInterfaces(ctx context.Context) bool {
	if d.Card == nil || d.Facts.Older != "" {
		return true
	}
	all, more := d.declaredInterfaces()
	all = slices.DeleteFunc(all, func(i *declaredInterface) bool {
		return slices.ContainsFunc(d.Endpoints, func(e *target.Endpoint) bool { return e.Binding == i.binding && sameAddress(e.URL, i.at) })
	})
	ok := d.tryAll(ctx, all, func(ctx context.Context, i *declaredInterface) tried {
		n := slices.IndexFunc(d.Interfaces, func(e *target.Endpoint) bool { return e.Binding == i.binding && sameAddress(e.URL, i.at) })
		if n < 0 {
			return d.reached(ctx, i)
		}
		return d.spoken(ctx, i, d.Interfaces[n])
	})
	d.tooMany(more)
	return ok
}

// tooMany says how many interfaces were not tried.
func (d addresses) tooMany(more int) {
	if more > 0 {
		d.note("interface", "%s declared beyond these %d, and not tried", show.Plural(more, "interface is", "interfaces are"), maxInterfaces)
	}
}

// sameAddress says whether an interface is at an address of the card.
func sameAddress(address string, at *url.URL) bool {
	return at != nil && strings.TrimRight(address, "/") == strings.TrimRight(at.String(), "/")
}

// spoken asks an interface of A2A 1.0 for a task that does not exist.
func (d addresses) spoken(ctx context.Context, i *declaredInterface, e *target.Endpoint) tried {
	c := &target.Call{Operation: "GetTask", At: e, Given: true, Params: map[string]any{"id": uuid.NewString()}}
	x := d.CallOf(ctx, c, "instance")
	seen := fmt.Sprintf("%s%s: %s to GetTask of an unknown task", i, d.elsewhereThan(e.URL), target.Answered(x))
	failure := target.FailureOf(c, x.Status, jsontext.Parse(x.Body))
	switch {
	case x.Status == 0:
		return tried{Failing, seen, whoseClients}
	case x.Status == http.StatusUnauthorized || x.Status == http.StatusForbidden:
		if !d.IsTarget(e.URL) {
			return tried{Warning, seen + "; no credentials were sent there", "--allow-host " + d.Allowing(e.URL) + " lets them go there"}
		}
		return tried{Warning, seen, "do the credentials count for this interface as well?"}
	case failure["json"] == nil:
		return tried{Failing, seen + ", and the body is no error of A2A: " + target.Begins(x.Body), "does what answers there speak " + e.Binding + "?"}
	}
	return tried{Well, seen + ", as A2A has it", ""}
}

// reached makes a connection to an interface, and over TLS a handshake; nothing is sent.
func (d addresses) reached(ctx context.Context, i *declaredInterface) tried {
	if i.at == nil {
		return tried{Warning, i.String() + ": its url is no address of http, https, ws or wss that can be connected to", "declare the whole address"}
	}
	seen := i.String() + d.elsewhereThan(i.at.String())
	within, cancel := context.WithTimeout(ctx, d.limits.Connect)
	defer cancel()
	line, err := d.Client.Dialer.LineTo(within, i.at)
	if err != nil {
		return tried{Warning, seen + ": " + wire.Why(err, d.limits.Connect), whoseClients}
	}
	defer line.Close()
	if i.at.Scheme != "https" {
		return tried{Well, seen + ": a connection is made; nothing was sent", ""}
	}
	config := &tls.Config{}
	if d.Config.TLS != nil {
		config = d.Config.TLS.Clone()
	}
	config.ServerName = i.at.Hostname()
	secured := tls.Client(line, config)
	if err := secured.HandshakeContext(within); err != nil {
		return tried{Warning, seen + ": " + wire.Why(err, d.limits.Connect), "clients that find this address in the card fail in the same way"}
	}
	return tried{Well, fmt.Sprintf("%s: a connection is made, with %s; nothing was sent", seen, tls.VersionName(secured.ConnectionState().Version)), ""}
}

// instanceInterfaces tries the interfaces that the card of an instance declares. A run does not use them, but clients do.
func (d addresses) instanceInterfaces(ctx context.Context) bool {
	if d.Card == nil {
		return true
	}
	all, more := d.declaredInterfaces()
	ok := d.tryAll(ctx, all, func(ctx context.Context, i *declaredInterface) tried {
		if i.at == nil || i.open || i.binding != "HTTP+JSON" {
			return d.reached(ctx, i)
		}
		return d.listsTasks(ctx, i)
	})
	d.tooMany(more)
	return ok
}

// listsTasks asks an interface of an instance for its tasks, with the token where that may go.
func (d addresses) listsTasks(ctx context.Context, i *declaredInterface) tried {
	identity := target.Anonymous
	if d.IsTarget(i.at.String()) {
		identity = "instance"
	}
	p := &target.Probe{URL: target.Join(i.at.String(), "tasks"), Identity: identity}
	p.Answer = d.Send(ctx, d.PlainGet(p.URL, p.Identity))
	seen := fmt.Sprintf("%s%s: %s to GET .../tasks", i, d.elsewhereThan(i.at.String()), target.Answered(p.Answer))
	_, isObject := jsontext.Parse(p.Answer.Body).(map[string]any)
	switch {
	case p.Answer.Status == 0:
		return tried{Warning, seen, whoseClients}
	case p.Answer.Status == http.StatusOK && isObject:
		return tried{Well, seen, ""}
	case target.Refused(p) && identity == target.Anonymous:
		return tried{Note, seen + "; no credentials were sent there, because it is not the target", "--allow-host lets them go there"}
	case target.Refused(p):
		return tried{Warning, seen, "the token opens --executor-url, and not this address of the card"}
	}
	return tried{Warning, seen + ": no list of tasks", "is that the address of this instance? Clients find it in the card"}
}
