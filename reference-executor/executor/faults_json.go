// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// jsonFaults are readers of bodies that take more than JSON, or cannot bear all of it.
var jsonFaults = map[string]func(*behaviour){
	"lone-surrogates-break": func(b *behaviour) {
		real := b.errors.parse
		b.errors.parse = func(body []byte) (any, *problem) {
			v, p := real(body)
			if p != nil && json.Valid(body) && loneSurrogate.Match(body) {
				p = brokenDown()
			}
			return v, p
		}
	},
	"nan-is-json": func(b *behaviour) {
		real := b.errors.parse
		b.errors.parse = func(body []byte) (any, *problem) {
			v, p := real(body)
			if p == nil {
				return v, nil
			}
			if v, lenient := real(notANumber.ReplaceAll(body, []byte("${1}null"))); lenient == nil {
				return v, nil
			}
			return nil, p
		}
	},
	"deeply-nested-bodies-break": func(b *behaviour) {
		real := b.errors.parse
		b.errors.parse = func(body []byte) (any, *problem) {
			if bytes.Contains(body, bytes.Repeat([]byte("["), 1000)) {
				return nil, brokenDown()
			}
			return real(body)
		}
	},
}

// notANumber is one in the place of a value.
var notANumber = regexp.MustCompile(`([:\[,]\s*)-?(?:NaN|Infinity)`)

// loneSurrogate is half of what stands for one character.
var loneSurrogate = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}(?:[^\\]|\\[^u])`)
