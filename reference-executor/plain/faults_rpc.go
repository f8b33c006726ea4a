// SPDX-License-Identifier: Apache-2.0

package plain

var rpcFaults = map[string]func(*behaviour){
	"rpc-without-jsonrpc": func(b *behaviour) {
		b.rpc.response = func(_ *call, v object) any { delete(v, "jsonrpc"); return v }
	},
	"rpc-result-with-null-error": func(b *behaviour) {
		b.rpc.response = func(_ *call, v object) any {
			if _, failed := v["error"]; !failed {
				v["error"] = nil
			}
			return v
		}
	},
	"rpc-errors-of-one-code": func(b *behaviour) { b.rpc.code = func(*call, *failure) any { return -32000 } },
}
