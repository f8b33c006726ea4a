// SPDX-License-Identifier: Apache-2.0

package executor

import (
	"net/http"
	"path"
	"slices"
	"strings"
)

// An adapterCommand is the envelope of adapter-command/v1: run the one fixed command on a request file.
type adapterCommand struct {
	Mode    string
	Request string // the request file, a relative path
	Dir     string
	Seconds int
}

// adapterFolders are where request files may lie.
var adapterFolders = []string{".aiwg/ops/adapters/sandbox-agent-runner/", ".aiwg/ops/runs/"}

// parseAdapter takes exactly the envelope that the extension defines; anything else is refused and never becomes a
// normal message.
func parseAdapter(v any) (*adapterCommand, *problem) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, noAdapter("the envelope is not an object")
	}
	for name := range object {
		if !slices.Contains([]string{"adapter", "mode", "command", "working_dir", "timeout_seconds"}, name) {
			return nil, noAdapter("the envelope has a member that the extension does not define")
		}
	}
	c := &adapterCommand{Seconds: 300}
	if object["adapter"] != "sandbox-agent-runner" {
		return nil, noAdapter("adapter is not sandbox-agent-runner")
	}
	if c.Mode, _ = object["mode"].(string); c.Mode != "plan" && c.Mode != "assess" {
		return nil, noAdapter("mode is not plan or assess")
	}
	command, ok := object["command"].([]any)
	if !ok || len(command) != 4 || !slices.Equal(command[:3], []any{"node", ".aiwg/ops/adapters/sandbox-agent-runner/runner.mjs", "--request"}) {
		return nil, noAdapter("command is not the runner with a request file")
	}
	if c.Request, ok = command[3].(string); !ok || !allowedRequest(c.Request) {
		return nil, noAdapter("the request file lies outside its folders")
	}
	if dir, given := object["working_dir"]; given {
		if c.Dir, ok = dir.(string); !ok {
			return nil, noAdapter("working_dir is not a string")
		}
	}
	if seconds, given := object["timeout_seconds"]; given {
		if c.Seconds, ok = number(seconds); !ok || c.Seconds < 1 || c.Seconds > 900 {
			return nil, noAdapter("timeout_seconds is not from 1 to 900")
		}
	}
	return c, nil
}

func noAdapter(why string) *problem {
	return refuse(http.StatusUnprocessableEntity, "adapter.refused", why)
}

// allowedRequest says whether a path stays in one of the folders.
func allowedRequest(file string) bool {
	if strings.ContainsAny(file, "\\\x00") || slices.Contains(strings.Split(file, "/"), "..") || path.Clean(file) != file {
		return false
	}
	return slices.ContainsFunc(adapterFolders, func(folder string) bool { return strings.HasPrefix(file, folder) })
}

// ends is the state in which a run of the adapter ends. The runner of this executor is a stage prop: the name of the
// request file says how it ends.
func (c *adapterCommand) ends() string {
	if strings.HasSuffix(c.Request, "-fails.json") || strings.HasSuffix(c.Request, "-breaks.json") {
		return failed
	}
	return completed
}

// endAdapter keeps what the runner printed, and says what went wrong.
func (t *task) endAdapter() {
	c := t.Plan.Adapter
	switch {
	case strings.HasSuffix(c.Request, "-breaks.json"):
		t.FailKind, t.Says = "infrastructure", "the runner could not be started"
		return
	case strings.HasSuffix(c.Request, "-fails.json"):
		t.FailKind, t.Says = "application", "the runner exited with status 2"
		t.addArtifact("stderr", "runner: the request cannot be fulfilled\n")
	default:
		t.Says = "the runner exited with status 0"
	}
	t.addArtifact("stdout", "runner: "+c.Mode+" "+c.Request+"\n")
}
