// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/assertions"
	"github.com/roctinam/agentic-sandbox-conformance/suites/runner/readers"
)

// listedInstance is the item of a list of instances that is the one with the id, and Missing where it is not listed.
func listedInstance(list any, id string) any {
	items, _ := readers.Member(list, "items").([]any)
	for _, item := range items {
		if listed, _ := readers.Member(item, "id").(string); id != "" && strings.EqualFold(listed, id) {
			return item
		}
	}
	return assertions.Missing
}

// ErrNoInstance is what [Instances] finds where the admin surface lists none that looks ready.
var ErrNoInstance = errors.New("the admin surface lists no instance that is ready")

// Instances lists the ids of all instances of a deployment that look ready, as its admin surface lists them. The error is
// [ErrNoInstance] where there are none, and says what was answered where that is no list.
func Instances(ctx context.Context, target Target, options Options) ([]string, error) {
	r := newRun("", target, options)
	defer r.close()
	root, _, _ := splitInstance(plainURL(target.ExecutorURL))
	r.place = placeOf(r.target, root, root, "")
	listed := &probe{url: join(r.place.admin, "instances"), identity: "admin"}
	r.ask(ctx, listed)
	if listed.answer.Status != 200 {
		return nil, fmt.Errorf("GET %s: %s", listed.url, answered(listed.answer))
	}
	ids := ready(listed.answer)
	if len(ids) == 0 {
		return nil, ErrNoInstance
	}
	return ids, nil
}
