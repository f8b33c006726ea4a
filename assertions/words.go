// SPDX-License-Identifier: Apache-2.0

package assertions

// Words is the vocabulary, sorted by name.
var Words = []Word{}
