// SPDX-License-Identifier: Apache-2.0

package timebudget

import "time"

// A Spent is what the rows of a test that came to nothing have used up of its budget. It is not for several goroutines at once.
type Spent struct {
	of     Budget
	inVain time.Duration
}

// Spend begins to count.
func (b Budget) Spend() *Spent { return &Spent{of: b} }

// Add counts a row that came to nothing, with the time that it took without the time in which the machine did not let the program
// run. What the contract makes it wait does not count.
func (s *Spent) Add(took time.Duration) { s.inVain += max(0, took-s.of.Row) }

// UsedUp says whether the budget is used up.
func (s *Spent) UsedUp() bool { return s.inVain >= s.of.InVain }

// InVain is how much has been used up.
func (s *Spent) InVain() time.Duration { return s.inVain }
