// SPDX-License-Identifier: Apache-2.0

// Package assertions is the vocabulary of the suites: the words that say what is wanted of something a target did.
//
// A suite writes a condition as a mapping from a subject to what is wanted of it:
//
//	status: 200                                     # a plain value means: equals
//	json:
//	  status.state: {one_of: [submitted, working]}  # a mapping holds words, all of which must hold
//
// A [Word] judges one value and says no in a sentence a report reader understands without our code. A [Value] is what a
// suite wants of one subject, compiled once when the suite is loaded: the words, with their arguments decoded, and with
// the position in the file for every one of them. Words nest (each, any, members ...): an argument that is itself a
// condition is compiled to a Value as well, so that nothing is parsed while a target is being judged.
//
// This package is the leaf of the program: it reads no files, knows no suites and sends nothing. Package suites compiles
// with it (which is why suites imports assertions, unlike in the first sketch of the import table: a misspelt word must be
// an error with a position before anything runs), package runner judges with it.
//
// What a word may be given, beside JSON values (nil, bool, json.Number, string, []any, map[string]any), is [Missing] for
// a subject that is not there, []byte for raw bytes, and time.Duration for times.
package assertions
