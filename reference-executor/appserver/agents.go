// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// agentsBehaviour is what agent servers are asked with.
type agentsBehaviour struct {
	header func(s *Server, box *sandbox, header http.Header)
	path   func(s *Server, v *user, path string) string
	body   func(s *Server, v *user, body object)
}

var conformantAgents = agentsBehaviour{
	header: func(_ *Server, box *sandbox, header http.Header) { header.Set(sessionHeader, box.key) },
	path:   func(_ *Server, _ *user, path string) string { return path },
	body:   func(*Server, *user, object) {},
}

// agentURL is where the agent server of a sandbox is.
func (s *Server) agentURL(box *sandbox) string { return s.double.root() + "/" + box.id }

// ask makes a request of the agent server of a sandbox. The answer is a JSON value.
func (s *Server) ask(ctx context.Context, box *sandbox, method, path string, body object) (any, error) {
	b := &s.b.agents
	var text io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		text = bytes.NewReader(encoded)
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, s.agentURL(box)+b.path(s, box.owner, path), text)
	if err != nil {
		return nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", mediaJSON)
	}
	b.header(s, box, r.Header)
	response, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answered, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		return nil, fmt.Errorf("status %d", response.StatusCode)
	}
	var v any
	err = json.Unmarshal(answered, &v)
	return v, err
}

// startAgent starts a conversation with the agent server of a sandbox. Secrets of providers travel as lookups.
func (s *Server) startAgent(ctx context.Context, task *startTask, box *sandbox, id string) error {
	secrets := object{}
	for provider := range task.owner.providers {
		secrets[strings.ToUpper(provider)+"_TOKEN"] = object{
			"kind": "LookupSecret", "url": s.publicURL() + prefix + "/webhooks/secrets",
			"headers": object{accessHeader: s.secrets.token(task.owner, provider, "", time.Now().Add(tokenLife))},
		}
	}
	llm := task.request["llm_model"]
	if llm == nil {
		llm = model
	}
	body := object{
		"conversation_id": hyphenated(id), "agent": object{"kind": "Agent", "llm": object{"model": llm}},
		"workspace": object{"kind": "LocalWorkspace", "working_dir": "/workspace/project"}, "initial_message": task.request["initial_message"],
		"secrets": secrets,
	}
	s.b.agents.body(s, task.owner, body)
	_, err := s.ask(ctx, box, http.MethodPost, "/api/conversations", body)
	return err
}

// publicURL is where sandboxes reach the server.
func (s *Server) publicURL() string {
	if s.config.PublicURL != "" {
		return s.config.PublicURL
	}
	return s.main.Root
}

// askAgents asks the agent servers of running sandboxes for the status of the conversations among some records that were started
// with them. One that does not answer is left out.
func (c *call) askAgents(some []record) {
	ids := map[string]url.Values{}
	for _, r := range some {
		if v, is := r.(*conversation); is && v.begun {
			if ids[v.sandbox] == nil {
				ids[v.sandbox] = url.Values{}
			}
			ids[v.sandbox].Add("ids", hyphenated(v.id))
		}
	}
	c.live = map[string]any{}
	for at, asked := range ids {
		box := c.s.sandboxNow(at)
		if box == nil || box.state != running {
			continue
		}
		answered, err := c.s.ask(c.r.Context(), box, http.MethodGet, "/api/conversations?"+asked.Encode(), nil)
		if err != nil {
			c.s.log.Debug("an agent server does not answer", "sandbox", box.id, "error", err)
			continue
		}
		list, _ := answered.([]any)
		for _, one := range list {
			o, _ := one.(object)
			text, _ := o["id"].(string)
			if id, is := readUUID(text); is {
				c.live[id] = o["execution_status"]
			}
		}
	}
}
