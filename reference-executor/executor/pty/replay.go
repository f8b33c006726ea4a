// SPDX-License-Identifier: Apache-2.0

package pty

import (
	"slices"
	"sort"
	"time"
)

// A replayLog keeps what has been said to everyone, in order. It keeps the larger of two sets: the newest frames up to
// a number, and all that are not older than some age.
type replayLog struct {
	most   int
	age    time.Duration
	frames []keptFrame
	lost   uint64 // the newest number that is not kept any more
	size   int    // in bytes
}

type keptFrame struct {
	at    time.Time
	frame *frame
}

// maxKept is how much a session may keep: it ends when it cannot keep what it must.
const maxKept = 256 << 20

func (l *replayLog) add(f *frame) { l.addAt(time.Now(), f) }

func (l *replayLog) addAt(at time.Time, f *frame) {
	l.frames = append(l.frames, keptFrame{at, f})
	l.size += f.size()
	for len(l.frames) > l.most && at.Sub(l.frames[0].at) > l.age {
		l.drop(1)
	}
}

func (l *replayLog) drop(n int) {
	for _, k := range l.frames[:n] {
		l.size -= k.frame.size()
		l.lost = max(l.lost, k.frame.sequence)
	}
	l.frames = slices.Delete(l.frames, 0, n)
}

// evict drops every frame up to a number, whatever must be kept.
func (l *replayLog) evict(through uint64) {
	l.drop(l.after(through))
	l.lost = max(l.lost, through)
}

// after is the index of the first frame with a larger number.
func (l *replayLog) after(sequence uint64) int {
	return sort.Search(len(l.frames), func(i int) bool { return l.frames[i].frame.sequence > sequence })
}

// since returns the frames after a number; lost says that some of those are not kept any more.
func (l *replayLog) since(sequence uint64) (frames []*frame, lost bool) {
	if sequence < l.lost {
		return nil, true
	}
	for _, k := range l.frames[l.after(sequence):] {
		frames = append(frames, k.frame)
	}
	return frames, false
}

// replayBehaviour is what is kept and what is sent again.
type replayBehaviour struct {
	keeps  func(f *frame) bool
	since  func(s *session, c *connection, from uint64) (frames []*frame, lost bool)
	cursor func(c *connection, r *request) *uint64 // where a join wants the replay to begin
	allows func(c *connection) *frameError         // whether the principal may see what has been
	copied func(f *frame) *frame                   // a frame that is sent again
}

var conformantReplay = replayBehaviour{
	keeps: func(*frame) bool { return true },
	since: func(s *session, _ *connection, from uint64) ([]*frame, bool) { return s.log.since(from) },
	cursor: func(_ *connection, r *request) *uint64 {
		return r.replayFrom
	},
	allows: func(*connection) *frameError { return nil },
	copied: func(f *frame) *frame { return f },
}
