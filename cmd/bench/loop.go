// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// loop is the other side of the comparison: the same requests, one after the other, with nothing judged and nothing
// kept.
func loop(url string, count int) error {
	for i := range count {
		if _, err := exchange("GET", url+"/.well-known/agent-card.json", ""); err != nil {
			return err
		}
		body := fmt.Sprintf(`{"message":{"messageId":"018fc0a2-0000-7000-8000-%012x","role":"user","parts":[{"kind":"text","text":"hello"}]},"configuration":{"blocking":false}}`, i)
		sent, err := exchange("POST", url+"/v1/messages:send", body)
		if err != nil {
			return err
		}
		id, _ := sent["id"].(string)
		for state := any("working"); state != "completed"; {
			read, err := exchange("GET", url+"/v1/tasks/"+id, "")
			if err != nil {
				return err
			}
			status, _ := read["status"].(map[string]any)
			state = status["state"]
		}
	}
	return nil
}

func exchange(method, url, body string) (map[string]any, error) {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	var decoded map[string]any
	return decoded, json.Unmarshal(read, &decoded)
}
