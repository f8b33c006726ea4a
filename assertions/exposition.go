// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A metricLine is one line of a metrics text (exposition format 0.0.4) that says something.
type metricLine struct {
	number int
	kind   byte // 'H' HELP, 'T' TYPE, 's' sample
	name   string
	text   string // of HELP; the type of TYPE
	labels map[string]string
	value  float64
	raw    string // the value as it stands
}

var (
	metricName  = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*`)
	labelName   = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*`)
	metricValue = regexp.MustCompile(`^([+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|NaN|\+Inf|-Inf)$`)
	metricTime  = regexp.MustCompile(`^-?[0-9]+$`)
	metricTypes = []string{"counter", "gauge", "histogram", "summary", "untyped"}
)

// readMetrics reads a metrics text, strictly.
func readMetrics(got any) ([]metricLine, error) {
	text, err := metricsText(got)
	if err != nil {
		return nil, err
	}
	if err := checkUTF8(text); err != nil {
		return nil, &Problem{Seen: "is not UTF-8: " + err.Error()}
	}
	if !strings.HasSuffix(text, "\n") {
		return nil, &Problem{Seen: "ends without a line feed"}
	}
	lines, malformed := metricLines(text)
	if malformed != nil {
		return nil, malformed
	}
	return lines, nil
}

// readableMetrics leaves out the lines that are malformed, for words about what the others say: only exposition judges
// the grammar.
func readableMetrics(got any) ([]metricLine, error) {
	text, err := metricsText(got)
	if err != nil {
		return nil, err
	}
	lines, malformed := metricLines(text)
	if !slices.ContainsFunc(lines, func(l metricLine) bool { return l.kind == 's' }) {
		if malformed != nil {
			return nil, malformed
		}
		return nil, &Problem{Seen: "has no samples"}
	}
	return lines, nil
}

func metricsText(got any) (string, error) {
	text, is := textOf(got)
	if body, isBody := got.(Body); isBody {
		text, is = string(body.Bytes), true
	}
	switch {
	case !is:
		return "", seen(got, "metrics in text form")
	case text == "":
		return "", &Problem{Seen: "is empty", Wanted: "metrics in text form"}
	}
	return text, nil
}

// metricLines are the lines that say something, and what is wrong with the first one that is malformed.
func metricLines(text string) (lines []metricLine, malformed error) {
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		l, err := readMetricLine(line)
		switch {
		case err == nil && l.kind != 0:
			l.number = i + 1
			lines = append(lines, l)
		case err != nil && malformed == nil:
			malformed = &Problem{Seen: fmt.Sprintf("has %s in line %d: %v", show(line), i+1, err)}
		}
	}
	return lines, malformed
}

func readMetricLine(line string) (metricLine, error) {
	trimmed := strings.Trim(line, " \t")
	if trimmed == "" {
		return metricLine{}, nil
	}
	if trimmed[0] == '#' {
		return readMetricComment(trimmed)
	}
	return readSample(trimmed)
}

func readMetricComment(line string) (metricLine, error) {
	fields := strings.FieldsFunc(line[1:], isBlank)
	if len(fields) == 0 || fields[0] != "HELP" && fields[0] != "TYPE" {
		return metricLine{}, nil
	}
	if len(fields) < 2 || metricName.FindString(fields[1]) != fields[1] {
		return metricLine{}, errors.New(fields[0] + " without the name of a metric")
	}
	l := metricLine{kind: fields[0][0], name: fields[1]}
	if l.kind == 'T' {
		if len(fields) != 3 || !slices.Contains(metricTypes, fields[2]) {
			return l, errors.New("TYPE with another type than " + strings.Join(metricTypes, ", "))
		}
		l.text = fields[2]
	}
	return l, nil
}

func readSample(line string) (metricLine, error) {
	l := metricLine{kind: 's', name: metricName.FindString(line), labels: map[string]string{}}
	rest := strings.TrimLeft(line[len(l.name):], " \t")
	if l.name == "" {
		return l, errors.New("no name of a metric")
	}
	if strings.HasPrefix(rest, "{") {
		var err error
		if rest, err = readLabels(rest[1:], l.labels); err != nil {
			return l, err
		}
	} else if len(rest) == len(line)-len(l.name) {
		return l, errors.New("no blank after the name")
	}
	fields := strings.FieldsFunc(rest, isBlank)
	switch {
	case len(fields) == 0:
		return l, errors.New("no value")
	case !metricValue.MatchString(fields[0]):
		return l, fmt.Errorf("%s is no value", quote(fields[0], "bytes"))
	case len(fields) > 2 || len(fields) == 2 && !metricTime.MatchString(fields[1]):
		return l, fmt.Errorf("%s after the value is not a timestamp", quote(strings.Join(fields[1:], " "), "bytes"))
	}
	l.raw = fields[0]
	value, err := strconv.ParseFloat(fields[0], 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return l, err
	}
	l.value = value
	return l, nil
}

// readLabels reads name="value" pairs up to the closing brace and returns what follows it.
func readLabels(s string, labels map[string]string) (string, error) {
	for {
		s = strings.TrimLeft(s, " \t")
		if strings.HasPrefix(s, "}") {
			return s[1:], nil
		}
		name := labelName.FindString(s)
		s = strings.TrimLeft(s[len(name):], " \t")
		if name == "" || !strings.HasPrefix(s, "=") {
			return "", errors.New("a label is not written as name=\"value\"")
		}
		if _, twice := labels[name]; twice {
			return "", fmt.Errorf("label %s twice", name)
		}
		value, rest, err := readLabelValue(strings.TrimLeft(s[1:], " \t"))
		if err != nil {
			return "", fmt.Errorf("label %s: %w", name, err)
		}
		labels[name] = value
		s = strings.TrimLeft(rest, " \t")
		if strings.HasPrefix(s, ",") {
			s = s[1:]
		} else if !strings.HasPrefix(s, "}") {
			return "", fmt.Errorf("neither a comma nor a brace after label %s", name)
		}
	}
}

func readLabelValue(s string) (value, rest string, err error) {
	if !strings.HasPrefix(s, `"`) {
		return "", "", errors.New("its value is not in double quotes")
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:], nil
		case '\\':
			i++
			if i == len(s) || !strings.ContainsRune(`\"n`, rune(s[i])) {
				return "", "", errors.New(`a backslash before something else than \, " or n`)
			}
			if s[i] == 'n' {
				b.WriteByte('\n')
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return "", "", errors.New("its value has no closing quote")
}

func isBlank(r rune) bool { return r == ' ' || r == '\t' }

// series is the name and labels of a sample, written in one way.
func (l metricLine) series() string {
	var b strings.Builder
	b.WriteString(l.name)
	for i, name := range sortedKeys(l.labels) {
		b.WriteString(string("{,"[min(i, 1)]) + name + "=" + strconv.Quote(l.labels[name]))
	}
	if len(l.labels) > 0 {
		b.WriteByte('}')
	}
	return b.String()
}
