// SPDX-License-Identifier: Apache-2.0

package target

import (
	"context"
	"errors"
	"fmt"
)

// ErrNoInstance says that the admin surface lists no instance that looks ready.
var ErrNoInstance = errors.New("the admin surface lists no instance that is ready")

// ReadyInstances are those of the admin list that look ready.
func (t *Target) ReadyInstances(ctx context.Context) ([]string, error) {
	root, _, _ := SplitInstance(PlainURL(t.Config.ExecutorURL))
	t.Place = PlaceOf(t.Config, root, root, "")
	listed := &Probe{URL: Join(t.Place.Admin, "instances"), Identity: "admin"}
	t.Ask(ctx, listed)
	if listed.Answer.Status != 200 {
		return nil, fmt.Errorf("GET %s: %s", listed.URL, Answered(listed.Answer))
	}
	ids := Ready(listed.Answer)
	if len(ids) == 0 {
		return nil, ErrNoInstance
	}
	return ids, nil
}
