// SPDX-License-Identifier: Apache-2.0

package fleet

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// IndexVariable is the variable of the environment in which a Job of Kubernetes says which of its pods this is, from 0.
const IndexVariable = "JOB_COMPLETION_INDEX"

// A Shard is a part of a list of targets: the Index-th of Of, counted from 0. The zero Shard is the whole list.
type Shard struct {
	Index int `json:"index"`
	Of    int `json:"of"`
}

// maxShards bounds the number of shards; a list has no more targets.
const maxShards = 5000

var shardForm = regexp.MustCompile(`^(?:([0-9]{1,6})/)?([0-9]{1,6})$`)

// ParseShard reads "1/4", or "4" where the environment says which of them this is.
func ParseShard(text string, env func(string) (string, bool)) (Shard, error) {
	m := shardForm.FindStringSubmatch(text)
	if m == nil {
		return Shard{}, errors.New("want i/n, as in 0/4 for the first of four, or n alone where " + IndexVariable + " says which one this is")
	}
	of, _ := strconv.Atoi(m[2])
	index, _ := strconv.Atoi(m[1])
	if m[1] == "" {
		value, _ := env(IndexVariable)
		if value = strings.TrimSpace(value); value == "" {
			return Shard{}, fmt.Errorf("%s is not set, which says which of %d shards this is: write it as in 0/%d", IndexVariable, of, of)
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return Shard{}, fmt.Errorf("%s is no number of a shard", IndexVariable)
		}
		index = n
	}
	switch {
	case of < 1 || of > maxShards:
		return Shard{}, fmt.Errorf("want 1 to %d shards", maxShards)
	case index >= of:
		return Shard{}, fmt.Errorf("there is no shard %d of %d: they are counted from 0, so the last one is %d/%d", index, of, of-1, of)
	}
	return Shard{index, of}, nil
}

// Divides says whether there is more than one shard.
func (s Shard) Divides() bool { return s.Of > 1 }

// Has says whether the target at a place in the list, from 0, belongs to the shard.
func (s Shard) Has(place int) bool { return s.Of == 0 || place%s.Of == s.Index }

// String writes it as it is given, and "" for the whole list.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Folder is where a shard writes, below the folder that all of them are given: "shard-0-of-4".
func (s Shard) Folder() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("shard-%d-of-%d", s.Index, s.Of)
}
