// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"net/url"
	"strings"
)

// receiverFaults are about where a delivery goes, and what its receiver answers.
var receiverFaults = map[string]func(*behaviour){
	"push-urls-are-unescaped": func(b *behaviour) {
		b.push.url = func(v any) (string, *problem) {
			text, p := parsePushURL(v)
			if plain, err := url.PathUnescape(text); err == nil && p == nil {
				return plain, nil
			}
			return text, p
		}
	},
	"push-lists-show-the-url-of-the-first-config": func(b *behaviour) {
		b.push.lists = func(e *Executor, task string) []pushConfig {
			list := e.pushConfigs(task)
			for i := range list {
				list[i].URL = list[0].URL
			}
			return list
		}
	},
	"push-get-cuts-the-query": pushMember("get", func(_ *call, v map[string]any) {
		if at, is := v["url"].(string); is {
			v["url"], _, _ = strings.Cut(at, "&")
		}
	}),
	"push-is-taken-with-200-only": func(b *behaviour) {
		b.push.delivered = func(status int) bool { return status == http.StatusOK }
	},
}
