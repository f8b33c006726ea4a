// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/roctinam/agentic-sandbox-conformance/reference-executor/selftest"
	"github.com/roctinam/agentic-sandbox-conformance/suites"
)

// A recipe is a section of the README that says how something is added: which files, and which commands.
type recipe struct {
	name     string
	files    []string // as the README names them: suites/<profile>/<topic>.yaml
	commands []string
	example  *txtar.Archive
	words    map[string]string // what stands for <profile> in the example
}

var built = flag.Bool("built", false, "play the recipes as an author does, who builds the program and all that is generated")

// TestRecipes does what the README says, in a copy of the tree: it makes the changes of all three recipes there, which are to
// the files that the README names and no others, and runs its commands, each once. To build the program anew takes a minute of
// two processors, so that this test plays what the commands of the program do with what it is built of itself, and of what is
// generated the vocabulary alone. All of it, word by word, is played by
//
//	go test ./docs -run TestRecipes -args -built
func TestRecipes(t *testing.T) {
	switch {
	case testing.Short():
		t.Skip("it builds tests in a copy of the tree, for some seconds")
	case runtime.GOOS == "windows":
		t.Skip("the commands of the README are those of a Unix shell")
	}
	t.Parallel()
	recipes := recipesOf(t)
	tree := copyOfTree(t)
	for _, r := range recipes {
		r.change(t, tree)
	}
	before := filesOf(t, tree)
	var run []string
	for _, r := range recipes {
		for _, line := range r.commands {
			if command := r.filled(line); !slices.Contains(run, command) {
				run = append(run, command)
				play(t, tree, command)
			}
		}
	}
	made := map[string]string{"assertions/VOCABULARY.md": "## one_line", "report/tsv/testdata/every-outcome.tsv": "\tfail\n", "report/tsv/testdata/hostile.tsv": "\tfail\n"}
	if *built {
		made["docs/requirements.md"], made["schemas/suite.schema.json"] = "CARD-099", `"one_line"`
	}
	for file, text := range made {
		if got, err := os.ReadFile(filepath.Join(tree, file)); err != nil || !strings.Contains(string(got), text) {
			t.Errorf("%s has no %q (%v)", file, text, err)
		}
	}
	for _, file := range filesOf(t, tree) {
		if !slices.Contains(before, file) && !(strings.HasPrefix(file, "report/tsv/testdata/") && strings.HasSuffix(file, ".tsv")) {
			t.Errorf("the commands have made %s, of which the README says nothing", file)
		}
	}
}

// TestRecipesNameTheirFiles: the files that the README names are those that its examples change.
func TestRecipesNameTheirFiles(t *testing.T) {
	t.Parallel()
	for _, r := range recipesOf(t) {
		var named, changed []string
		for _, file := range r.files {
			named = append(named, r.filled(file))
		}
		for _, f := range r.example.Files {
			file, _, _ := strings.Cut(f.Name, " ")
			changed = append(changed, file)
		}
		slices.Sort(named)
		slices.Sort(changed)
		changed = slices.Compact(changed) // one file may be changed in two places
		if diff := cmp.Diff(changed, named); diff != "" {
			t.Errorf("%s: the files of the README are not those of its example (-example +README):\n%s", r.name, diff)
		}
		if len(r.commands) == 0 {
			t.Errorf("%s: the README has no command", r.name)
		}
	}
}

var (
	isRecipe  = regexp.MustCompile(`(?m)^\*\*(A [a-z ]+)\.\*\*`)
	isFile    = regexp.MustCompile("`((?:suites|assertions|report|cmd)/[^`]+\\.[a-z]+)`")
	isCommand = regexp.MustCompile(`(?m)^    (\S.*?)(?:  +#.*)?$`)
	isWord    = regexp.MustCompile(`(?m)^(\w+): (\S+)$`)
)

// recipesOf are the recipes of the README, each with its example.
func recipesOf(t *testing.T) []*recipe {
	t.Helper()
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Three recipes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var all []*recipe
	begins := isRecipe.FindAllStringSubmatchIndex(section, -1)
	for i, at := range begins {
		end := len(section)
		if i+1 < len(begins) {
			end = begins[i+1][0]
		}
		r := &recipe{name: section[at[2]:at[3]], words: map[string]string{}}
		for _, m := range isFile.FindAllStringSubmatch(section[at[0]:end], -1) {
			r.files = append(r.files, m[1])
		}
		for _, m := range isCommand.FindAllStringSubmatch(section[at[0]:end], -1) {
			r.commands = append(r.commands, m[1])
		}
		if r.example, err = txtar.ParseFile(filepath.Join("recipes", strings.ToLower(strings.ReplaceAll(r.name, " ", "-"))+".txtar")); err != nil {
			t.Fatal(err)
		}
		for _, m := range isWord.FindAllStringSubmatch(string(r.example.Comment), -1) {
			r.words["<"+m[1]+">"] = m[2]
		}
		all = append(all, r)
	}
	if len(all) != 3 {
		t.Fatalf("the README has %d recipes, want three", len(all))
	}
	return all
}

// filled puts the words of the example in the place of <word>.
func (r *recipe) filled(text string) string {
	for name, word := range r.words {
		text = strings.ReplaceAll(text, name, word)
	}
	return text
}

// change makes the changes of an example: new files, and lines behind or before the one that contains a text.
func (r *recipe) change(t *testing.T, tree string) {
	t.Helper()
	for _, f := range r.example.Files {
		name, place, edits := strings.Cut(f.Name, " ")
		path := filepath.Join(tree, name)
		if !edits {
			if _, err := os.Stat(path); err == nil {
				t.Fatalf("%s: %s is there already", r.name, name)
			}
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.Data, 0o644)); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		where, mark, _ := strings.Cut(place, " ")
		lines := strings.SplitAfter(string(text), "\n")
		at := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, mark) })
		switch {
		case at < 0 || where != "behind" && where != "before":
			t.Fatalf("%s: %s has no place %q", r.name, name, place)
		case where == "behind":
			at++
		}
		if err := os.WriteFile(path, []byte(strings.Join(slices.Insert(lines, at, string(f.Data)), "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// play runs a command of the README in the tree. What is wrong ends the test.
func play(t *testing.T, tree, command string) {
	t.Helper()
	words := strings.Fields(command)
	program, is := strings.CutPrefix(command, "go run ./cmd/agentic-sandbox-conformance ")
	if !*built {
		switch {
		case is:
			playInside(t, tree, strings.Fields(program))
			return
		case command == "make generate":
			words = []string{"go", "generate", "./assertions"}
		case strings.HasPrefix(command, "go test "):
			words = slices.Insert(words, 2, "-short")
		}
	}
	began := time.Now()
	c := exec.CommandContext(t.Context(), words[0], words[1:]...)
	c.Dir = tree
	// What is the same in both trees, and was built before, is found in the cache wherever it stood.
	c.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -vet=off -buildvcs=false -ldflags=-w", "PWD="+tree)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	if is && strings.HasPrefix(program, "self-test") && !strings.Contains(string(out), proved) {
		t.Fatalf("%s: the test is not proved:\n%s", command, out)
	}
	t.Logf("%s: %s", strings.Join(words, " "), time.Since(began).Round(time.Millisecond))
}

// proved is what the self-test says of the example.
const proved = "1 of 1 tests proved by 1 faults (1 of 1 kills for the stated reason), 0 problems"

// playInside does what a command of the program does, with the suites of the tree.
func playInside(t *testing.T, tree string, words []string) {
	t.Helper()
	flags := map[string]string{}
	var files []string
	for i := 1; i < len(words); i++ {
		if name, is := strings.CutPrefix(words[i], "--"); is && i+1 < len(words) {
			i++
			flags[name] = words[i]
		} else {
			files = append(files, filepath.Join(tree, words[i]))
		}
	}
	bundled := os.DirFS(filepath.Join(tree, "suites"))
	switch {
	case words[0] == "lint" && len(files) == 1 && len(flags) == 0:
		profile, err := suites.Draft{Paths: files, Bundled: bundled, Profile: "agentic-sandbox-v2"}.Load()
		if err != nil {
			t.Fatal(err)
		}
		for _, advice := range suites.Lint(profile) {
			t.Error(advice)
		}
	case words[0] == "self-test" && len(files) == 0 && len(flags) == 2 && flags["profile"] != "" && flags["run"] != "":
		r, err := selftest.Run(t.Context(), selftest.Options{Suites: bundled, Profile: flags["profile"], Tests: []string{flags["run"]}, Focused: true})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Sentence(), proved) {
			t.Errorf("%s: %v", r.Sentence(), r.Problems)
		}
	default:
		t.Fatalf("this test cannot play %q", words)
	}
}

// copyOfTree copies what the program is made of.
func copyOfTree(t *testing.T) string {
	t.Helper()
	from, to := "..", t.TempDir()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		inside, _ := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && inside != "." && (strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"bin", "demo-report", "self-test-report", "site"}, inside)):
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, inside), 0o755)
		case !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, inside), text, 0o644)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// filesOf names the files of a tree.
func filesOf(t *testing.T, tree string) []string {
	t.Helper()
	var all []string
	err := fs.WalkDir(os.DirFS(tree), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
