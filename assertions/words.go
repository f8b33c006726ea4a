// SPDX-License-Identifier: Apache-2.0

package assertions

// Words is the vocabulary, sorted by name.
var Words = []Word{
	absentWord,
	allOfWord,
	anyWord,
	anyOfWord,
	atLeastWord,
	atMostWord,
	betweenWord,
	containsWord,
	containsAllWord,
	eachWord,
	endsWithWord,
	equalsWord,
	equalsFoldWord,
	firstWord,
	formatWord,
	isAWord,
	lastWord,
	lengthWord,
	linkWord,
	matchesWord,
	mediaTypeWord,
	membersWord,
	noneWord,
	notWord,
	notBlankWord,
	notEmptyWord,
	oneOfWord,
	presentWord,
	schemaWord,
	startsWithWord,
	subsetOfWord,
	uniqueWord,
}
