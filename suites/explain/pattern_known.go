// SPDX-License-Identifier: Apache-2.0

package explain

// A knownPattern is a pattern that nobody reads, in words, with texts that show that these are true.
type knownPattern struct {
	yes, no          string
	accepts, rejects []string
}

// knownPatterns are patterns of the suites whose parts say less than their purpose.
var knownPatterns = map[string]knownPattern{
	`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`: {
		yes: `consists of words of capital letters and digits joined by "_", and begins with a letter`, no: `does not consist of words of capital letters and digits joined by "_", or does not begin with a letter`,
		accepts: []string{"TASK_NOT_FOUND", "A", "HTTP2", "A_1"}, rejects: []string{"", "task", "1A", "A__B", "A_", "_A", "A-B"},
	},
	`^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`: {
		yes: "is a UUID of version 4 or 7 in lowercase", no: "is not a UUID of version 4 or 7 in lowercase",
		accepts: []string{"018fc0a2-7777-7aaa-bbbb-ccccddddeeee", "018fc0a2-7777-4aaa-8bbb-ccccddddeeee"},
		rejects: []string{"018fc0a2-7777-1aaa-bbbb-ccccddddeeee", "018FC0A2-7777-7aaa-bbbb-ccccddddeeee", "018fc0a2-7777-7aaa-cbbb-ccccddddeeee", "x018fc0a2-7777-7aaa-bbbb-ccccddddeeee"},
	},
	`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$`: {
		yes: "has the form YYYY-MM-DDThh:mm:ssZ, with up to 9 decimals of a second", no: "does not have the form YYYY-MM-DDThh:mm:ssZ, with up to 9 decimals of a second",
		accepts: []string{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.123456789Z"}, rejects: []string{"2026-01-02T03:04:05+00:00", "2026-01-02 03:04:05Z", "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05.1234567890Z"},
	},
	`(?m)^[A-Za-z_]\w*(\{.*\})? +[-+0-9IN]`: {
		yes: "has a line that begins as a sample does: a metric name, labels in braces where it has any, a blank, and the beginning of a number", no: "has no line that begins as a sample does: a metric name, labels in braces where it has any, a blank, and the beginning of a number",
		accepts: []string{"a 1", "# HELP\nup{job=\"x\"}  -2", "a_b NaN", "a +Inf"}, rejects: []string{"", "# TYPE a counter", "{} 1", "a", "a x", "1a 1"},
	},
	`^([A-Za-z0-9+/_-]{4})*([A-Za-z0-9+/_-]{2,3})?={0,2}$`: {
		yes:     `has nothing but characters of base64 or base64url, as many as base64 can have, and up to two "=" at the end`,
		no:      `has other characters than those of base64 and base64url, or as many as base64 cannot have, or more than "=" twice at the end`,
		accepts: []string{"", "aGk=", "aGk", "aGlo", "_-8"}, rejects: []string{"a", "aGk===", "a b=", "aGlob"},
	},
	`(?i)^[^;]*(;\s*charset="?utf-8"?\s*|;\s*[^c\s][^;]*)*$`: {
		yes: `has no parameter that begins with "c" except charset=utf-8, in any case of letters`, no: `has a parameter that begins with "c" and is not charset=utf-8, or an empty parameter, in any case of letters`,
		accepts: []string{"application/json", "application/json; charset=UTF-8", `a/b;charset="utf-8"; v=1`}, rejects: []string{"a/b; charset=latin1", "a/b; Charset=utf-16", "a/b;"},
	},
	`(?i)^[ _+/-]*(j[ _+/-]*s[ _+/-]*o[ _+/-]*n[ _+/-]*r[ _+/-]*p[ _+/-]*c([ _+/-]*2[ _+/-]*0)?|g[ _+/-]*r[ _+/-]*p[ _+/-]*c|h[ _+/-]*t[ _+/-]*t[ _+/-]*p([ _+/-]*j[ _+/-]*s[ _+/-]*o[ _+/-]*n)?|r[ _+/-]*e[ _+/-]*s[ _+/-]*t([ _+/-]*j[ _+/-]*s[ _+/-]*o[ _+/-]*n)?)[ _+/-]*$`: {
		yes:     `spells JSONRPC, JSONRPC20, GRPC, HTTP, HTTPJSON, REST or RESTJSON, in any case of letters and with any of " ", "_", "+", "/" and "-" anywhere`,
		no:      `does not spell JSONRPC, JSONRPC20, GRPC, HTTP, HTTPJSON, REST or RESTJSON, in any case of letters and with any of " ", "_", "+", "/" and "-" anywhere`,
		accepts: []string{"JSONRPC", "json-rpc 20", "HTTP+JSON", "g_r_p_c", " rest/json ", "http"}, rejects: []string{"", "JSONRPC2.0", "WEBSOCKET", "gRPC-web", "JSON"},
	},
	`(?i)^(json[ _+/-]*rpc([ _+/-]*2[ _+/-]*0)?|g[ _+/-]*rpc|http([ _+/-]*json)?|rest([ _+/-]*json)?)$`: {
		yes:     `is JSON RPC, JSON RPC 2 0, G RPC, HTTP, HTTP JSON, REST or REST JSON, in any case of letters and with any of " ", "_", "+", "/" and "-", or nothing, between the parts`,
		no:      `is not JSON RPC, JSON RPC 2 0, G RPC, HTTP, HTTP JSON, REST or REST JSON, in any case of letters and with any of " ", "_", "+", "/" and "-", or nothing, between the parts`,
		accepts: []string{"JSONRPC", "json-rpc 20", "HTTP+JSON", "grpc", "rest/json", "http"}, rejects: []string{"", "JSONRPC2.0", "g_r_p_c", "HTTP+", "JSON"},
	},
	`(?i)^([^.:]+|.*\.(local|internal|test|example|localhost)|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2[0-9]|3[01])\..*|169\.254\..*|0\.0\.0\.0)\.?$`: {
		yes: `is a name without "." and ":", ends with ".local", ".internal", ".test", ".example" or ".localhost", begins with "127.", "10.", "192.168.", "172.16." to "172.31." or "169.254.", or is "0.0.0.0" (a dot at the end does not count)`,
		no: `is not a name without "." and ":", does not end with ".local", ".internal", ".test", ".example" or ".localhost", does not begin with "127.", "10.", "192.168.", "172.16." to "172.31." or "169.254.", ` +
			`and is not "0.0.0.0" (a dot at the end does not count)`,
		accepts: []string{"localhost", "a.local", "A.TEST.", "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.0.1", "192.168.1.1", "169.254.0.1", "0.0.0.0"},
		rejects: []string{"example.com", "172.15.0.1", "172.32.0.1", "11.0.0.1", "8.8.8.8", "a:1", ""},
	},
	`(?i)^\[(::1?|f[cd][0-9a-f]{2}:.*|fe[89ab][0-9a-f]:.*)\]$`: {
		yes:     `is in brackets "::", "::1", or an IPv6 address that begins with fc, fd (unique local) or fe8, fe9, fea, feb (link-local)`,
		no:      `is not in brackets "::", "::1", or an IPv6 address that begins with fc, fd (unique local) or fe8, fe9, fea, feb (link-local)`,
		accepts: []string{"[::]", "[::1]", "[fd00::1]", "[FE80::1]"}, rejects: []string{"::1", "[2001:db8::1]", "[::2]", "[fec0::1]"},
	},
	`(?i)ur[li]\b|webhook|callback|endpoint|address|host|loopback|private|internal|ssrf|https`: {
		yes:     `contains "webhook", "callback", "endpoint", "address", "host", "loopback", "private", "internal", "ssrf" or "https", or a word that ends with "url" or "uri", in any case of letters`,
		no:      `contains neither "webhook", "callback", "endpoint", "address", "host", "loopback", "private", "internal", "ssrf" nor "https", and no word that ends with "url" or "uri", in any case of letters`,
		accepts: []string{"The URL is bad", "webhookUri", "no HTTPS", "Webhook"}, rejects: []string{"", "curls", "denied"},
	},
	`(?i)missing|empty|required (field|member|propert|param)|ur[li]\W{0,6}(is |field )?required`: {
		yes:     `contains "missing", "empty", "required" with "field", "member", "propert" or "param" as the next word's beginning, or "url required" or "uri required", where "is" or "field" and a few marks may come between, in any case of letters`,
		no:      `contains neither "missing", "empty", "required" with "field", "member", "propert" or "param" as the next word's beginning, nor "url required" or "uri required", where "is" or "field" and a few marks may come between, in any case of letters`,
		accepts: []string{"Missing url", "it is empty", "required property", "url: required", "URL is required", `"uri" field required`}, rejects: []string{"", "required", "the url was not required"},
	},
	`(?is)unsupported.*extension|extension.*unsupported`: {
		yes: `contains both "unsupported" and "extension", in any case of letters`, no: `does not contain both "unsupported" and "extension", in any case of letters`,
		accepts: []string{"Unsupported\nextension", "Extension x is UNSUPPORTED", "unsupportedextension"}, rejects: []string{"extension", "unsupported", ""},
	},
	`https:(\\?/){2}agentic-sandbox\.aiwg\.io\\?/extensions\\?/idempotency\\?/v1`: {
		yes:     `contains "https://agentic-sandbox.aiwg.io/extensions/idempotency/v1", where "/" may be written "\/"`,
		no:      `does not contain "https://agentic-sandbox.aiwg.io/extensions/idempotency/v1", where "/" may be written "\/"`,
		accepts: []string{"see https://agentic-sandbox.aiwg.io/extensions/idempotency/v1", `https:\/\/agentic-sandbox.aiwg.io\/extensions\/idempotency\/v1`}, rejects: []string{"https://agentic-sandbox.aiwg.io/extensions/idempotency/v2", ""},
	},
	`https:(\\?/){2}agentic-sandbox\.aiwg\.io\\?/extensions\\?/(runtime|idempotency)\\?/v1`: {
		yes:     `contains "https://agentic-sandbox.aiwg.io/extensions/runtime/v1" or "https://agentic-sandbox.aiwg.io/extensions/idempotency/v1", where "/" may be written "\/"`,
		no:      `does not contain "https://agentic-sandbox.aiwg.io/extensions/runtime/v1" or "https://agentic-sandbox.aiwg.io/extensions/idempotency/v1", where "/" may be written "\/"`,
		accepts: []string{"see https://agentic-sandbox.aiwg.io/extensions/idempotency/v1", `https:\/\/agentic-sandbox.aiwg.io\/extensions\/runtime\/v1`}, rejects: []string{"https://agentic-sandbox.aiwg.io/extensions/hitl/v1", ""},
	},
	`^\s*$`: {
		yes: "has nothing but white space", no: "has more than white space",
		accepts: []string{"", " \n"}, rejects: []string{"x", " x "},
	},
	`^https?://[^%]*$`: {
		yes: `is an http or https URL without "%"`, no: `is not an http or https URL without "%"`,
		accepts: []string{"http://a", "https://a/b"}, rejects: []string{"ftp://a", "http://a/%20", ""},
	},
}
