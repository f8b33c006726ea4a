// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// rootOf is the address of a deployment: what stands before /agents/<instance-id>, if that is there.
func rootOf(address string) string {
	address = strings.TrimRight(address, "/")
	scheme, rest, _ := strings.Cut(address, "://")
	if at := strings.LastIndex(rest, "/agents/"); at >= 0 {
		rest = rest[:at]
	}
	return scheme + "://" + rest
}

// listInstances asks the admin surface for the ids of all instances that are ready. Without an admin address it is
// derived from the executor's.
func listInstances(ctx context.Context, client *http.Client, executorURL, adminURL, token string) ([]string, error) {
	if adminURL == "" {
		adminURL = rootOf(executorURL) + "/api/v2/admin"
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(adminURL, "/")+"/instances", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("list the instances: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("list the instances: GET %s answered %s", request.URL.Redacted(), shown(response.Status))
	}
	var list struct {
		Items []struct {
			ID    string `json:"id"`
			State string `json:"state"`
		} `json:"items"`
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, 16<<20)).Decode(&list); err != nil {
		return nil, fmt.Errorf("list the instances: the answer is no list: %s", shown(err.Error()))
	}
	var ids []string
	for _, item := range list.Items {
		if item.ID != "" && item.ID == url.PathEscape(item.ID) && (item.State == "" || item.State == "ready" || item.State == "running") {
			ids = append(ids, item.ID)
		}
	}
	if len(ids) == 0 {
		return nil, errors.New("list the instances: none is ready")
	}
	return ids, nil
}
