// SPDX-License-Identifier: Apache-2.0

package plain

import (
	"sync/atomic"
)

// cardLanguageFaults break the card for clients that ask for it in another language, and keep it for everybody else.
var cardLanguageFaults = map[string]func(*behaviour){
	"cards-in-another-language-are-not-always-found": func(b *behaviour) {
		var asked atomic.Int32
		b.card.answer = func(c *call, a answer) answer {
			if inAnotherLanguage(c) && asked.Add(1)%3 == 0 {
				return c.refuse(fail(unknownMethod, "there is nothing at this path"))
			}
			return a
		}
	},
	"cards-in-another-language-have-no-name":        otherLanguagesMiss("name"),
	"cards-in-another-language-have-no-description": otherLanguagesMiss("description"),
}

func inAnotherLanguage(c *call) bool { return c.r.Header.Get("Accept-Language") != "" }

// otherLanguagesMiss leaves a member out of the public card where it has not been translated.
func otherLanguagesMiss(member string) func(*behaviour) {
	return func(b *behaviour) {
		b.card.shape = func(c *call, extended bool, card object) {
			if inAnotherLanguage(c) && !extended {
				delete(card, member)
			}
		}
	}
}
