// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
)

// ErrNoInstance is what [Instances] finds where the admin surface lists none that looks ready.
var ErrNoInstance = errors.New("the admin surface lists no instance that is ready")

// readyInstances are those of the admin list that look ready.
func (s *site) readyInstances(ctx context.Context) ([]string, error) {
	root, _, _ := splitInstance(plainURL(s.target.ExecutorURL))
	s.place = placeOf(s.target, root, root, "")
	listed := &probe{url: join(s.place.admin, "instances"), identity: "admin"}
	s.ask(ctx, listed)
	if listed.answer.Status != 200 {
		return nil, fmt.Errorf("GET %s: %s", listed.url, answered(listed.answer))
	}
	ids := ready(listed.answer)
	if len(ids) == 0 {
		return nil, ErrNoInstance
	}
	return ids, nil
}
