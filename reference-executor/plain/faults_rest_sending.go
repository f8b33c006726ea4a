// SPDX-License-Identifier: Apache-2.0

package plain

var restSendingFaults = map[string]func(*behaviour){
	"send-answers-task-and-message": func(b *behaviour) {
		b.output.wrapper = func(_ *call, what string, v object) object {
			if what == "SendMessageResponse" {
				v["message"] = object{}
			}
			return v
		}
	},
}
