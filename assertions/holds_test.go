// SPDX-License-Identifier: Apache-2.0

package assertions

import (
	"encoding/json"
	"testing"
)

// Whether something holds and why it does not are asked in two ways, and are answered alike: every condition of the
// examples, judged of everything in them.
func TestHoldsAgreesWithJudge(t *testing.T) {
	t.Parallel()
	var conditions []Check
	var values []any
	for i := range Words {
		w := &Words[i]
		e := readExamples(t, w.Name)
		for _, x := range append(e.Accepts, e.Rejects...) {
			values = append(values, observed(decode(x.Got)))
			if w.Holds == nil && i%20 != 0 { // the others judge, and throw the sentence away
				continue
			}
			want, err := compileWant(w.Takes, w, observed(decode(x.Want)))
			if err != nil {
				t.Fatal(err)
			}
			conditions = append(conditions, Check{Word: w, Want: want})
		}
	}
	unusable := compiledValue(t, `{"one_of": "not a list"}`)
	for _, text := range []string{`{"one_of": "not a list"}`, `{"not": {"one_of": "not a list"}}`, `{"any_of": [{"equals": 7}, {"one_of": "not a list"}]}`,
		`{"each": {"one_of": "not a list"}}`, `{"none": {"one_of": "not a list"}}`, `{".a": {"one_of": "not a list"}}`} {
		conditions = append(conditions, compiledValue(t, text).Checks...)
	}
	values = append(values, Missing, unreached, nil, unusable, json.Number("1e999"), json.Number("-0"), json.Number("007"), json.Number("9007199254740993"),
		json.Number("9007199254740993.0"), json.Number(""), json.Number("+1"), json.Number("1_0"))
	for _, c := range conditions {
		for _, got := range values {
			err := c.Word.Judge(got, c.Want)
			holds, blame := c.Holds(got)
			if holds != (err == nil) || (blame != nil) != (err != nil && !isProblem(err)) {
				t.Fatalf("%s %s of %s: Judge says %v, Holds says %v and %v", c.Word.Name, show(c.Want), show(got), err, holds, blame)
			}
		}
	}
}

func TestPlainIntegersAreComparedAsAllNumbersAre(t *testing.T) {
	t.Parallel()
	numbers := []json.Number{"0", "-0", "7", "07", "-7", "7.0", "70e-1", "200", "2e2", "999999999999999999", "1000000000000000000", "-999999999999999999", "+7", "", "x"}
	for _, a := range numbers {
		for _, b := range numbers {
			x, okX := rational(a)
			y, okY := rational(b)
			order, comparable := compare(a, b)
			if comparable != (okX && okY) || comparable && order != x.Cmp(y) {
				t.Errorf("%s and %s: %d, %v", a, b, order, comparable)
			}
		}
	}
}
