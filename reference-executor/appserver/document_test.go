// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write the golden documents anew")

// The OpenAPI documents are those in testdata, which a person reads when they change: go test -update writes them.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{
		"openapi.json":            {},
		"openapi-without-v1.json": {NoV1: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.NoRateLimit = true
			got, err := json.MarshalIndent(get(t, start(t, c), "/openapi.json"), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(path, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
				t.Errorf("the document (-want +got):\n%s", diff)
			}
		})
	}
}

// The members and parameters that are younger than the rest can be left out, and keys and logins are declared where they are asked for.
func TestWhatDocumentsDeclare(t *testing.T) {
	t.Parallel()
	young := []string{"agent_type", "parent_conversation_id", "sub_conversation_ids", "include_sub_conversations"}
	for _, row := range []struct {
		name   string
		config Config
		has    []string
		lacks  []string
	}{
		{"default", Config{}, append(young, sessionHeader, accessHeader), []string{loginScheme, gateScheme}},
		{"older", Config{Older: true}, []string{sessionHeader, accessHeader}, young},
		{"guarded", Config{Token: "first", SessionKey: "gate"}, append(young, loginScheme, gateScheme), nil},
		{"without V1", Config{NoV1: true}, []string{oldPrefix}, append(young, prefix, sessionHeader, accessHeader)},
	} {
		row.config.NoRateLimit = true
		text := ask(t, start(t, row.config), "GET", "/openapi.json", "").body
		for _, word := range row.has {
			if !strings.Contains(text, word) {
				t.Errorf("%s: the document has no %s", row.name, word)
			}
		}
		for _, word := range row.lacks {
			if strings.Contains(text, word) {
				t.Errorf("%s: the document has %s", row.name, word)
			}
		}
	}
}

// What is answered fits the schema that the document has for it, in every way to set the server up.
func TestAnswersFitTheDocument(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]Config{"default": {}, "older": {Older: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.NoRateLimit = true
			s := start(t, c)
			text := ask(t, s, "GET", "/openapi.json", "")
			document, err := jsonschema.UnmarshalJSON(strings.NewReader(text.body))
			if err != nil {
				t.Fatal(err)
			}
			compiler := jsonschema.NewCompiler()
			compiler.DefaultDraft(jsonschema.Draft2020)
			if err := compiler.AddResource("https://document.test/", document); err != nil {
				t.Fatal(err)
			}
			fits := func(route, body string) {
				t.Helper()
				method, path, _ := strings.Cut(route, " ")
				at := "#/paths/" + strings.NewReplacer("/", "~1", "{", "%7B", "}", "%7D").Replace(path) + "/" + strings.ToLower(method) +
					"/responses/200/content/application~1json/schema"
				schema, err := compiler.Compile("https://document.test/" + at)
				if err != nil {
					t.Fatalf("%s: %v", route, err)
				}
				v, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
				if err == nil {
					err = schema.Validate(v)
				}
				if err != nil {
					t.Errorf("%s: %v\n%s", route, err, body)
				}
			}
			for _, r := range v1Routes {
				switch {
				case r.method == "GET" && strings.HasSuffix(r.path, "/secrets"):
					fits(r.String(), ask(t, s, "GET", r.path, "", accessHeader, says(t, s, "access-token")["token"].(string)).body)
				case r.method == "GET" && (strings.HasSuffix(r.path, "/search") || strings.HasSuffix(r.path, "/count") || strings.HasSuffix(r.path, "/me")):
					fits(r.String(), ask(t, s, "GET", r.path, "").body)
				case r.method == "GET":
					name, absent := "id", noBox
					if strings.HasPrefix(r.path, prefix+"/app-conversations") {
						name, absent = "ids", nobodys
					}
					id := items(t, s, r.path+"/search")[0]["id"].(string)
					fits(r.String(), ask(t, s, "GET", r.path+"?"+name+"="+id+"&"+name+"="+absent, "").body)
				}
			}
			fits(namedRoutes["streamed-start"], ask(t, s, "POST", prefix+"/app-conversations/stream-start", `{"initial_message":{"content":[{"type":"text","text":"hi"}]}}`).body)
			fits(namedRoutes["conversation-start"], ask(t, s, "POST", prefix+"/app-conversations", `{}`).body)
			box := ask(t, s, "POST", prefix+"/sandboxes", "").body
			fits(namedRoutes["sandbox-start"], box)
			fits(namedRoutes["old-list"], ask(t, s, "GET", oldPrefix, "").body)
		})
	}
}
