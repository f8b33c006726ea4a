// SPDX-License-Identifier: Apache-2.0

package pty

// Liberties are the named edits of a behaviour that keep the contract.
var Liberties = merged(connectionLiberties, frameLiberties, joinLiberties, repaintLiberties, boundTaskLiberties)
