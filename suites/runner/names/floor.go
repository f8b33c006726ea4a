// SPDX-License-Identifier: Apache-2.0

package names

import (
	"fmt"
	"time"
)

// Floor is ${floor.name}, the beginning of the second of the time that is kept, written without a fraction.
func (s *Scope) Floor(name string) (any, error) {
	v, _ := s.Find(name)
	text, _ := v.(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil, fmt.Errorf("${%s} is no time that has been kept", name)
	}
	return at.UTC().Format("2006-01-02T15:04:05Z"), nil
}
