// SPDX-License-Identifier: Apache-2.0

package appserver

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// info is what an agent server tells of a conversation.
func info(id string) string {
	return `{"id":"` + id + `","agent":{"kind":"Agent","llm":{"model":"m"}},"workspace":{"kind":"LocalWorkspace","working_dir":"/w"},"execution_status":"running"}`
}

// an event as small as it can be.
func pause(id string) string {
	return `{"kind":"PauseEvent","id":"` + id + `","timestamp":"2026-01-01T00:00:00","source":"user"}`
}

// Whoever has the key of a sandbox speaks for it; what it tells is read afterwards.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	box, other := says(t, s, "sandbox"), says(t, s, "sandbox")
	silent := says(t, s, "paused-sandbox")
	at := prefix + "/webhooks/" + box["sandbox_id"].(string)
	key := box["session_api_key"].(string)
	for _, row := range []struct {
		name, path, body, key string
		status                int
	}{
		{"an event before its conversation", at + "/events/" + nobodys, "[" + pause("too-early") + "]", key, 200},
		{"a conversation", at + "/conversations", info(nobodys), key, 200},
		{"the same again", at + "/conversations", info(nobodys), key, 200},
		{"no events", at + "/events/" + nobodys, "[]", key, 200},
		{"an event", at + "/events/" + nobodys, "[" + pause("one") + "]", key, 200},
		{"no key", at + "/events/" + nobodys, "[]", "", 401},
		{"a wrong key", at + "/events/" + nobodys, "[]", "conf-wrong", 401},
		{"a wrong key and a wrong body", at + "/events/" + nobodys, `{"a":1}`, "conf-wrong", 401},
		{"the key of another sandbox", at + "/events/" + nobodys, "[]", other["session_api_key"].(string), 401},
		{"a paused sandbox", prefix + "/webhooks/" + silent["sandbox_id"].(string) + "/conversations", info(nobodys), "", 401},
		{"a missing sandbox", prefix + "/webhooks/" + silent["missing_sandbox_id"].(string) + "/conversations", info(nobodys), "", 401},
		{"no conversation", at + "/conversations", "{}", key, 422},
		{"an object for events", at + "/events/" + nobodys, `{"a":1}`, key, 422},
		{"an unknown kind", at + "/events/" + nobodys, `[{"kind":"NoEvent","id":"x","timestamp":"2026-01-01T00:00:00","source":"user"}]`, key, 422},
		{"a name for a conversation", at + "/events/nonsense", "[]", key, 422},
	} {
		var header []string
		if row.key != "" {
			header = []string{sessionHeader, row.key}
		}
		if got := ask(t, s, "POST", row.path, row.body, header...); got.status != row.status {
			t.Errorf("%s: status %d, want %d\n%s", row.name, got.status, row.status, got.body)
		}
	}
	found := get(t, s, prefix+"/events?id=one&id=too-early").([]any)
	if found[0] == nil || found[0].(object)["timestamp"] != "2026-01-01T00:00:00" || found[1] != nil {
		t.Errorf("the events are %v, want the first one alone", found)
	}
	v := get(t, s, prefix+"/app-conversations?ids="+nobodys).([]any)[0].(object)
	if v["sandbox_id"] != box["sandbox_id"] || v["execution_status"] != "running" || v["llm_model"] != "m" {
		t.Errorf("the conversation is %v", v)
	}
	if n := get(t, s, prefix+"/app-conversations/count"); n != 7.0 {
		t.Errorf("there are %v conversations, want 7", n)
	}
}

// An update leaves alone what the user chose.
func TestUpdatesKeepTheTitle(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	seeded := says(t, s, "seed-conversations")
	id := seeded["ids"].([]any)[0].(string)
	fetch := func() object { return get(t, s, prefix+"/app-conversations?ids="+id).([]any)[0].(object) }
	was := fetch()
	path := prefix + "/webhooks/" + seeded["sandbox_id"].(string) + "/conversations"
	if got := ask(t, s, "POST", path, info(id), sessionHeader, seeded["session_api_key"].(string)); got.status != 200 {
		t.Fatal(got)
	}
	is := fetch()
	for _, name := range []string{"title", "selected_repository", "selected_branch", "git_provider", "trigger", "created_at"} {
		if was[name] != is[name] || was[name] == nil {
			t.Errorf("%s was %v and is %v", name, was[name], is[name])
		}
	}
}

// Two users see what is theirs, and nobody sees anything.
func TestUsers(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoRateLimit: true, Token: "first", SecondToken: "second"})
	mine, his := []string{"Authorization", "Bearer first"}, []string{"Authorization", "Bearer second"}
	for _, path := range searches[:4] {
		name := "id"
		if strings.HasPrefix(path, "/app-conversations") {
			name = "ids"
		}
		some := items(t, s, prefix+path+"/search", mine...)
		id := some[0]["id"].(string)
		for _, item := range items(t, s, prefix+path+"/search", his...) {
			if item["id"] == id {
				t.Errorf("%s of the first user are listed for the second", path)
			}
		}
		if got := get(t, s, prefix+path+"?"+name+"="+id, his...).([]any)[0]; got != nil {
			t.Errorf("%s: the second user is given %v", path, got)
		}
		for _, header := range [][]string{nil, {"Authorization", "Bearer thirst"}, {"Authorization", "Basic first"}} {
			for _, query := range []string{"/search", "/search?limit=abc", "?" + name + "=" + id} {
				if got := ask(t, s, "GET", prefix+path+query, "", header...); got.status != 401 {
					t.Errorf("%s%s with %v is %d, want 401", path, query, header, got.status)
				}
			}
		}
		if path == "/sandboxes" {
			for _, act := range [][2]string{{"POST", "/pause"}, {"POST", "/resume"}, {"DELETE", ""}} {
				if got := ask(t, s, act[0], prefix+path+"/"+id+act[1], "", his...); got.status != 404 {
					t.Errorf("%s %s by the second user is %d, want 404", act[0], act[1], got.status)
				}
			}
		}
	}
	for token, id := range map[string]any{"first": "user-first", "second": "user-second", says(t, s, "fresh-user")["token"].(string): "user-fresh"} {
		me := get(t, s, prefix+"/users/me", "Authorization", "Bearer "+token).(object)
		if me["id"] != id || me["llm_api_key"] != nil && strings.Trim(me["llm_api_key"].(string), "*") != "" {
			t.Errorf("the user of %s is %v", token, me)
		}
	}
	theirs := items(t, s, prefix+"/app-conversations/search", his...)[0]["id"].(string)
	box := says(t, s, "sandbox")
	got := ask(t, s, "POST", prefix+"/webhooks/"+box["sandbox_id"].(string)+"/events/"+theirs, "["+pause("foreign")+"]", sessionHeader, box["session_api_key"].(string))
	if got.status != 401 {
		t.Errorf("an event into the conversation of another user is %d, want 401", got.status)
	}
}

// The members of an organization see what is theirs together, and act on their own.
func TestOrganization(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoRateLimit: true, Token: "first", SecondToken: "second", ThirdToken: "third", SharedOrg: true})
	var conv string
	for _, v := range items(t, s, prefix+"/app-conversations/search", "Authorization", "Bearer third") {
		if v["created_by_user_id"] == "user-first" {
			conv = v["id"].(string)
		}
	}
	for token, there := range map[string]bool{"third": true, "second": false} {
		if got := get(t, s, prefix+"/app-conversations?ids="+conv, "Authorization", "Bearer "+token).([]any)[0]; (got != nil) != there {
			t.Errorf("the conversation is %v for the %s user", got, token)
		}
	}
	told := says(t, s, "organizations")
	got := ask(t, s, "POST", prefix+"/webhooks/"+told["sandbox_id"].(string)+"/conversations", info(conv), sessionHeader, told["session_api_key"].(string))
	if got.status != 401 {
		t.Errorf("a member writes into another one's conversation: %d", got.status)
	}
	if got := ask(t, s, "GET", prefix+"/webhooks/secrets", "", accessHeader, says(t, s, "access-token")["foreign"].(string)); got.status != 401 {
		t.Errorf("a token of a foreign organization is %d, want 401", got.status)
	}
}

// A secret is handed out for a token of this server, of its time, in its header.
func TestSecrets(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	told := says(t, s, "access-token")
	token := told["token"].(string)
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.HS256})
	if err != nil || signed.Signatures[0].Header.KeyID == "" {
		t.Fatalf("a token is no HS256 JWS with a key id: %v\n%s", err, token)
	}
	var said claims
	if payload, err := signed.Verify(s.secrets.key); err != nil || json.Unmarshal(payload, &said) != nil || said.Provider != "github" || said.Expires-said.Issued != 14*24*3600 {
		t.Errorf("a token says %+v: %v", said, err)
	}
	parts := strings.Split(token, ".")
	code := base64.RawURLEncoding.EncodeToString
	unsigned := code([]byte(`{"alg":"none"}`)) + "." + code([]byte(`{"user_id":"x","provider_type":"github"}`)) + "."
	foreign := newKeyring().token(s.users[0], "github", "", time.Now().Add(time.Hour))
	for _, row := range []struct {
		name   string
		header []string
		query  string
		status int
	}{
		{"the token", []string{accessHeader, token}, "", 200},
		{"another provider in the query", []string{accessHeader, token}, "?provider_type=gitlab", 200},
		{"nothing", nil, "", 401},
		{"a word", []string{accessHeader, "word"}, "", 401},
		{"an expired token", []string{accessHeader, told["expired"].(string)}, "", 401},
		{"no signature", []string{accessHeader, unsigned}, "", 401},
		{"an own key", []string{accessHeader, foreign}, "", 401},
		{"another payload", []string{accessHeader, parts[0] + "." + code([]byte(`{"provider_type":"gitlab","exp":9999999999}`)) + "." + parts[2]}, "", 401},
		{"the token as a bearer", []string{"Authorization", "Bearer " + token}, "", 401},
		{"the token in the query", nil, "?access_token=" + token, 401},
		{"the token as a cookie", []string{"Cookie", "access_token=" + token}, "", 401},
		{"a session key", []string{sessionHeader, says(t, s, "sandbox")["session_api_key"].(string)}, "", 401},
	} {
		got := ask(t, s, "GET", prefix+"/webhooks/secrets"+row.query, "", row.header...)
		if got.status != row.status {
			t.Errorf("%s is %d, want %d", row.name, got.status, row.status)
		}
		if row.status == 200 && got.json(t) != told["secret"] {
			t.Errorf("%s gets another secret", row.name)
		}
	}
}

// The key of a deployment is asked for everywhere but where sandboxes speak and health is told.
func TestDeploymentKey(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoRateLimit: true, SessionKey: "gate"})
	for path, without := range map[string]int{
		prefix + "/app-conversations/search": 401, "/api/options/config": 401, "/api/conversations": 401, "/health": 200, "/openapi.json": 200,
	} {
		for key, status := range map[string]int{"": without, "wrong": without, "gate": 200} {
			if got := ask(t, s, "GET", path, "", sessionHeader, key); got.status != status {
				t.Errorf("%s with the key %q is %d, want %d", path, key, got.status, status)
			}
		}
	}
	box := says(t, s, "sandbox")
	if got := ask(t, s, "POST", prefix+"/webhooks/"+box["sandbox_id"].(string)+"/conversations", info(nobodys), sessionHeader, box["session_api_key"].(string)); got.status != 200 {
		t.Errorf("a sandbox that speaks is %d", got.status)
	}
}

// A V1 conversation is read on the legacy routes; a start of the old version makes none of V1.
func TestLegacy(t *testing.T) {
	t.Parallel()
	s := quiet(t)
	v := items(t, s, prefix+"/app-conversations/search")[1]
	id := v["id"].(string)
	if old := get(t, s, oldPrefix+"/"+id).(object); old["title"] != v["title"] || old["conversation_version"] != "V1" || old["conversation_id"] != id {
		t.Errorf("the conversation is %v there", old)
	}
	if config := get(t, s, oldPrefix+"/"+id+"/config").(object); config["runtime_id"] != v["sandbox_id"] || config["session_id"] != hyphenated(id) {
		t.Errorf("its configuration is %v", config)
	}
	before := get(t, s, prefix+"/app-conversations/count")
	if got := ask(t, s, "POST", oldPrefix, "{}"); got.status != http.StatusOK {
		t.Errorf("an old start is %d", got.status)
	}
	if after := get(t, s, prefix+"/app-conversations/count"); after != before {
		t.Errorf("there are %v conversations after it, before it %v", after, before)
	}
}

// Events are stored as the contract lays them out, on disk where there is a folder.
func TestStorage(t *testing.T) {
	t.Parallel()
	s := start(t, Config{NoRateLimit: true, Data: t.TempDir()})
	files := says(t, s, "persistence-dir")["files"].([]any)
	if len(files) != 36 {
		t.Errorf("there are %d files, want 36", len(files))
	}
	for _, name := range files {
		if parts := strings.Split(name.(string), "/"); len(parts) != 4 || parts[0] != "v1" || parts[1] != "events" || len(parts[2]) != 32 || strings.Count(parts[3], "_") != 2 {
			t.Errorf("a file is called %s", name)
		}
	}
}
