// SPDX-License-Identifier: Apache-2.0

// Package schemas holds JSON Schemas (2020-12): the contract's own shapes, and those of the files this program reads and
// writes (*.schema.json). The former have no $id: they refer to each other by file name.
package schemas

import "embed"

//go:embed *.json
var files embed.FS

// Address is where the JSON Schemas of the program's files are found, followed by their names.
const Address = "https://raw.githubusercontent.com/roctinam/agentic-sandbox-conformance/HEAD/schemas/"

// Read returns the schema in the file of that name, "task.json".
func Read(name string) ([]byte, error) { return files.ReadFile(name) }
