// SPDX-License-Identifier: Apache-2.0

package selftest

import (
	"errors"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/executor"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/plain"
	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest/mutants"
)

// errNoProxy is why a deployment is not played behind a proxy.
var errNoProxy = errors.New("a server with TLS, or with a host that others reach, does not stand behind a proxy")

// behindTraffic sets up an executor that is found at a proxy, and whose cards say so.
func (s setup) behindTraffic(c executor.Config) (*executor.Executor, error) {
	if c.Certificate != nil || c.PublicURL != "" {
		return nil, errNoProxy
	}
	front, err := s.traffic.Front()
	if err != nil {
		return nil, err
	}
	c.PublicURL, c.Deliveries = front.URL(), s.traffic
	e, err := executor.New(c)
	if err != nil {
		return nil, err
	}
	front.To(e.URL(), e.SignCard)
	return e, nil
}

// address is that of an executor as the run is told it.
func (o *operator) address(own string) string {
	if o.setup.traffic == nil {
		return own
	}
	return o.setup.traffic.Public(own)
}

// newPlain sets up a server, behind a proxy if there is one, and says where it is found.
func newPlain(c plain.Config, traffic *mutants.Traffic) (s *plain.Server, root string, err error) {
	if traffic == nil {
		if s, err = plain.New(c); err == nil {
			root = s.URL()
		}
		return s, root, err
	}
	if c.Certificate != nil || c.PublicURL != "" {
		return nil, "", errNoProxy
	}
	front, err := traffic.Front()
	if err != nil {
		return nil, "", err
	}
	c.PublicURL, c.Deliver = front.URL(), traffic.Unsigned
	if s, err = plain.New(c); err != nil {
		return nil, "", err
	}
	front.To(s.URL(), s.SignCard)
	return s, front.URL(), nil
}
