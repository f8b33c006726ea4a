// SPDX-License-Identifier: Apache-2.0

package html

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/roctinam/agentic-sandbox-conformance/report"
	"github.com/roctinam/agentic-sandbox-conformance/report/show"
)

// What a picture of a conversation holds at most. The transcript below it has more, the JSON report everything.
const (
	maxPictures = 6   // of a result: one for each of its cases
	maxLanes    = 8   // further actors share the last lane
	maxRows     = 60  // messages that get a row of their own
	maxTicks    = 600 // messages on the time axis
	maxTime     = 24 * 60 * 60 * 1000
)

// Sizes of a picture, in units of its view box: a unit is a CSS pixel where there is room.
const (
	rowHeight  = 22
	timeColumn = 84 // the times stand left of it
	laneWidth  = 84
	textWidth  = 440 // the labels of the messages
	laneHeight = 22  // of a lane on the time axis
)

// A timeline is the picture of a conversation: above a time axis to scale, with a lane for each actor, below each
// message in order, as an arrow between its actor and the target.
type timeline struct {
	Case          string // of a test with several
	Title, Desc   string // the picture in words
	Width, Height int
	Lanes         []lane
	TargetX       int
	AxisTop       int // y of the first lane of the axis
	AxisBottom    int
	AxisTicks     []axisTick
	Ticks         []tick
	Top, Bottom   int // of the lifelines
	Spans         []lifespan
	Rows          []messageRow
}

type lane struct {
	Name  string
	X     int // of its lifeline
	AxisY int // of its row on the axis
}

type axisTick struct {
	X    int
	Text string
}

// A tick is a message on the axis: above its lane when the actor sent it, below when it received it.
type tick struct {
	Class     string
	X, Y1, Y2 int
}

// A lifespan is a connection, from opened to closed.
type lifespan struct{ X, Y, Height int }

// A messageRow is one message, or a pause.
type messageRow struct {
	Class    string // sent, received, local, closed, pause, left-out
	Time     string
	Y        int
	From, To int // x; equal where nothing crosses the wire
	Head     string
	Label    string
	LabelX   int
	LabelY   int
}

// timelines draws the streams and terminals among the evidence, one picture a case, and says how many it did not draw.
func timelines(entries []report.Evidence) (drawn []timeline, more int) {
	for _, c := range cases(entries) {
		if !slices.ContainsFunc(c.entries, isStreamed) {
			continue
		}
		if len(drawn) == maxPictures {
			more++
			continue
		}
		drawn = append(drawn, draw(c.name, c.entries))
	}
	return drawn, more
}

// A caseEvidence is the evidence of one case of a test.
type caseEvidence struct {
	name    string
	entries []report.Evidence
}

// cases takes evidence apart where the recorder noted a new case.
func cases(entries []report.Evidence) []caseEvidence {
	all := []caseEvidence{{}}
	for _, e := range entries {
		if name, begins := strings.CutPrefix(e.Head, "case: "); begins && e.Kind == "note" {
			all = append(all, caseEvidence{name: name})
			continue
		}
		e.AtMS = min(max(e.AtMS, 0), maxTime)
		last := &all[len(all)-1]
		last.entries = append(last.entries, e)
	}
	return all
}

// isStreamed tells what only conversations have from plain requests and their answers.
func isStreamed(e report.Evidence) bool {
	return slices.Contains([]string{"event", "frame", "frame-sent", "opened", "webhook"}, e.Kind)
}

// direction is sent, received, or local for what does not cross the wire between the harness and the target.
func direction(kind string) string {
	switch kind {
	case "request", "frame-sent":
		return "sent"
	case "response", "opened", "event", "frame", "webhook":
		return "received"
	case "closed":
		return "closed"
	}
	return "local"
}

func draw(name string, entries []report.Evidence) timeline {
	t := timeline{Case: show.Brief(name, 120)}
	lanes := t.addLanes(entries)
	t.TargetX = timeColumn + laneWidth*len(t.Lanes) + textWidth
	t.Width = t.TargetX + laneWidth/2
	for i := range t.Lanes {
		t.Lanes[i].X = timeColumn + laneWidth*i + laneWidth/2
	}
	t.axis(entries, lanes)
	t.messages(entries, lanes)
	t.describe(entries)
	return t
}

// addLanes makes a lane for each actor, in the order in which they speak, and returns the lane of each entry.
func (t *timeline) addLanes(entries []report.Evidence) []int {
	var actors []string
	lanes := make([]int, len(entries))
	for i := range entries {
		actor := entries[i].Actor
		if entries[i].Kind == "note" && actor == "" {
			continue
		}
		at := slices.Index(actors, actor)
		if at < 0 && len(actors) < maxLanes {
			at = len(actors)
			actors = append(actors, actor)
			t.Lanes = append(t.Lanes, lane{Name: show.Brief(cmp.Or(actor, "harness"), 11)})
		}
		if at < 0 {
			at = maxLanes - 1
			t.Lanes[at].Name = "others"
		}
		lanes[i] = at
	}
	if len(t.Lanes) == 0 {
		t.Lanes = []lane{{Name: "harness"}}
	}
	return lanes
}

// axis draws the time axis to scale.
func (t *timeline) axis(entries []report.Evidence, lanes []int) {
	t.AxisTop = 26
	for i := range t.Lanes {
		t.Lanes[i].AxisY = t.AxisTop + laneHeight*i + laneHeight/2
	}
	t.AxisBottom = t.AxisTop + laneHeight*len(t.Lanes)
	t.Top = t.AxisBottom + 34 + rowHeight
	from, to := window(entries)
	left, right := timeColumn+laneWidth, t.TargetX
	at := func(ms int64) int {
		if to <= from {
			return left
		}
		return left + int(float64(ms-from)/float64(to-from)*float64(right-left))
	}
	times := axisTimes(from, to)
	for _, ms := range times {
		text := show.Span(ms)
		if len(times) > 1 && times[1]-times[0] < 100 { // a tenth of a second would not tell them apart
			text = fmt.Sprintf("%d ms", ms)
		}
		t.AxisTicks = append(t.AxisTicks, axisTick{X: at(ms), Text: text})
	}
	drawn := map[tick]bool{}
	for i := range entries {
		if entries[i].Kind == "note" {
			continue
		}
		y := t.Lanes[lanes[i]].AxisY
		k := tick{Class: direction(entries[i].Kind), X: at(entries[i].AtMS), Y1: y, Y2: y}
		switch k.Class {
		case "sent":
			k.Y1 -= 8
		case "received":
			k.Y2 += 8
		default:
			k.Y1, k.Y2 = y-4, y+4
		}
		if drawn[k] || len(drawn) >= maxTicks {
			continue
		}
		drawn[k] = true
		t.Ticks = append(t.Ticks, k)
	}
}

// window is the time between the first and the last entry.
func window(entries []report.Evidence) (from, to int64) {
	first := true
	for i := range entries {
		e := &entries[i]
		if e.Kind == "note" {
			continue
		}
		if first {
			from, to, first = e.AtMS, e.AtMS, false
		}
		from, to = min(from, e.AtMS), max(to, e.AtMS)
	}
	return from, to
}

// axisTimes are round times from begin to end, at most seven.
func axisTimes(from, to int64) []int64 {
	step := int64(1)
	for i := 0; (to-from)/step > 6; i++ { // 1, 2, 5, 10, 20, 50 ...
		if i%3 == 1 {
			step = step * 5 / 2
		} else {
			step *= 2
		}
	}
	var times []int64
	for ms := (from + step - 1) / step * step; ms <= to; ms += step {
		times = append(times, ms)
	}
	return times
}

// messages draws a row for each message, the first and the last ones when there are too many.
func (t *timeline) messages(entries []report.Evidence, lanes []int) {
	y := t.Top + rowHeight
	labelX := timeColumn + laneWidth*len(t.Lanes) + 8
	opened := map[int]int{}
	skipFrom, skipTo := show.Middle(len(entries), maxRows)
	var before *report.Evidence
	for i := range entries {
		if i >= skipFrom && i < skipTo {
			if i == skipFrom {
				label := fmt.Sprintf("%d messages are left out of the picture", skipTo-skipFrom)
				t.Rows = append(t.Rows, messageRow{Class: "left-out", Y: y, Label: label, LabelX: labelX, LabelY: y - 4})
				y += rowHeight
				before = nil
			}
			continue
		}
		e := &entries[i]
		if before != nil && e.AtMS-before.AtMS >= 300 {
			t.Rows = append(t.Rows, messageRow{Class: "pause", Y: y, Label: show.Span(e.AtMS-before.AtMS) + " of silence", LabelX: labelX, LabelY: y - 4,
				From: timeColumn, To: t.TargetX})
			y += rowHeight
		}
		x := t.Lanes[lanes[i]].X
		row := messageRow{Class: direction(e.Kind), Time: fmt.Sprintf("%d ms", e.AtMS), Y: y, From: x, To: x, Label: caption(e), LabelX: labelX, LabelY: y - 4}
		switch row.Class {
		case "sent":
			row.To = t.TargetX
			row.Head = fmt.Sprintf("%d,%d %d,%d %d,%d", row.To, y, row.To-8, y-4, row.To-8, y+4)
		case "received":
			row.From = t.TargetX
			row.Head = fmt.Sprintf("%d,%d %d,%d %d,%d", row.To, y, row.To+8, y-4, row.To+8, y+4)
		}
		if e.Kind == "note" {
			row.Time, row.Class = "", "note"
		} else {
			before = e
		}
		switch e.Kind {
		case "opened":
			opened[lanes[i]] = y
		case "closed":
			if from, ok := opened[lanes[i]]; ok {
				t.Spans = append(t.Spans, lifespan{X: x - 3, Y: from, Height: y - from})
				delete(opened, lanes[i])
			}
		}
		t.Rows = append(t.Rows, row)
		y += rowHeight
	}
	t.Bottom = y
	t.Height = y + 8
}

// describe says in words what the picture shows, for who does not see it.
func (t *timeline) describe(entries []report.Evidence) {
	var sent, received int
	var pause, pauseAt, before int64
	first := true
	for i := range entries {
		e := &entries[i]
		switch direction(e.Kind) {
		case "sent":
			sent++
		case "received":
			received++
		}
		if e.Kind == "note" {
			continue
		}
		if d := e.AtMS - before; !first && d > pause {
			pause, pauseAt = d, before
		}
		before, first = e.AtMS, false
	}
	from, to := window(entries)
	t.Title = "Conversation with the target"
	if t.Case != "" {
		t.Title += ", case " + t.Case
	}
	t.Desc = fmt.Sprintf("%s to the target, %s from it, over %s.",
		show.Plural(sent, "message", "messages"), show.Plural(received, "message", "messages"), show.Span(to-from))
	if len(t.Lanes) > 1 {
		names := make([]string, len(t.Lanes))
		for i := range t.Lanes {
			names[i] = t.Lanes[i].Name
		}
		t.Desc += " The harness speaks as " + strings.Join(names, ", ") + "."
	}
	if pause >= 300 {
		t.Desc += fmt.Sprintf(" The longest silence is %s, from %s on.", show.Span(pause), show.Span(pauseAt))
	}
}
