// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

const (
	instance = "018fc0a2-7777-7aaa-bbbb-ccccddddeeee"
	base     = "/agents/" + instance
)

// serve answers at once and from memory, until it is killed. Its first line on standard output is its instance URL.
func serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	url := "http://" + listener.Addr().String() + base
	fmt.Println(url)
	return http.Serve(listener, instant(url))
}

// instant answers everything at once and from memory, below an instance URL.
func instant(url string) http.Handler {
	card := []byte(cardOf(url))
	var tasks atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+base+"/.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write(card)
	})
	mux.HandleFunc("POST "+base+"/v1/messages:send", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusAccepted, task(tasks.Add(1), "working"))
	})
	mux.HandleFunc("GET "+base+"/v1/tasks/{id}", func(w http.ResponseWriter, r *http.Request) {
		id, _ := strconv.ParseInt(strings.TrimPrefix(r.PathValue("id"), "task-"), 10, 64)
		answer(w, http.StatusOK, task(id, "completed"))
	})
	mux.HandleFunc("POST "+base+"/v1/tasks/{id}/cancel", func(w http.ResponseWriter, r *http.Request) {
		answer(w, http.StatusConflict, `{"type":"about:blank","title":"final","status":409,"code":"task.not_cancelable"}`)
	})
	mux.HandleFunc("GET "+base+"/v1/tasks", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, http.StatusOK, `{"tasks":[]}`)
	})
	return mux
}

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

func task(id int64, state string) string {
	return fmt.Sprintf(`{"id":"task-%d","contextId":"ctx-%d","kind":"task","status":{"state":%q,"timestamp":"2026-01-01T00:00:00Z"},"metadata":{"runtime.instance_id":%q,"runtime.kind":"vm"}}`, id, id, state, instance)
}

func cardOf(url string) string {
	return fmt.Sprintf(`{"name":"bench","description":"answers at once","version":"1.0.0","protocolVersion":"1.0",
"supportedInterfaces":[{"url":%q,"transport":"HTTP+JSON","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"}],
"capabilities":{"streaming":false,"pushNotifications":false,"extensions":[{"uri":"https://agentic-sandbox.aiwg.io/extensions/runtime/v1","required":true,"params":{"runtime":"vm","loadout":"dev","instance_id":%q}}]},
"securitySchemes":{"bearer":{"type":"http","scheme":"bearer"}},
"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],
"skills":[{"id":"echo","name":"echo","description":"answers","tags":["bench"]}]}`, url+"/v1", instance)
}
