// SPDX-License-Identifier: Apache-2.0

package phrases

// What stands around the steps of what to configure next.
const (
	NextTitle  = "What to configure next"
	NextIfTrue = "If it is true of the deployment, say so; each with what it adds to all of the above:"
	NextCases  = "These add no requirement, but more cases of some that are measured then:"
	NextLines  = "The lines for the configuration file"
	NextLimits = "Each step is counted given those above it. A test that is played then may still find that the target does not have what it is " +
		"about. Fill in what is written in capitals; tokens stay in the environment."
)
