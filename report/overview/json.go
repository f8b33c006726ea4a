// SPDX-License-Identifier: Apache-2.0

package overview

import (
	"io"

	"github.com/roctinam/agentic-sandbox-conformance/report"
)

// WriteJSON writes an overview as JSON; schemas/overview.schema.json defines the form.
func WriteJSON(w io.Writer, o *Overview) error { return report.WriteForm(w, o) }
