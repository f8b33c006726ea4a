// SPDX-License-Identifier: Apache-2.0

// Command site makes a site of the documentation: the README, the pages of docs/, the changelog, the recipes, and pages of every requirement
// of every bundled profile. It needs no server and no network, neither to be made nor to be read:
//
//	make site                                        # or: go run ./cmd/site
//	make site version=v1.2.3
//
// Every version has a folder of its own below the folder of the site, so that the links of an old report stay true. The index page of the
// site lists the versions that are there, and latest/ is a copy of the newest release.
//
// The pages of docs/ are written for a forge and read there as they are: they have no front matter, their titles are headings, and their
// links lead to files of the repository. What makes a site of that is goldmark, the Markdown library that Hugo uses too, and the templates
// of the standard library. Hugo itself was tried first, as `go run github.com/gohugoio/hugo`, and costs more than it saves. The newest
// (v0.169.0) needs a newer Go than this module. v0.164.0 downloads 102 modules of 485 MB, which nothing else needs, and takes two minutes of
// processor time and 810 MB of build cache until it has built itself, to make these pages within a fifth of a second. They come out
// without titles, and with links to files that the site does not have: what Hugo needs in front of it is most of this program. What it
// would do is the loop over the pages and the templates. That the links of the repository become links of the site, that the requirements
// come from the suites (packages coverage and lookup) and not from a copy of them, that versions stand side by side, and that a link which
// leads nowhere ends the build, would be written here either way. The program makes the site in two seconds.
//
// The search is MiniSearch (assets/minisearch, with its licence): it ranks, and finds the beginnings of words and words with a mistake in
// them. It reads an index that is a script, because a page that is opened as a file may load no other data.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
)

func main() {
	o := options{say: func(format string, args ...any) { fmt.Printf(format+"\n", args...) }}
	flag.StringVar(&o.tree, "tree", ".", "`folder` of the repository whose documentation it is")
	flag.StringVar(&o.out, "out", "site", "`folder` of the site; other versions in it stay")
	flag.StringVar(&o.version, "version", "", "the `version` of the program that the pages belong to (default: as git describes the commit, or devel)")
	flag.StringVar(&o.commit, "commit", "", "the `commit`, for the foot of the pages (default: that of git, or none)")
	flag.BoolVar(&o.onlyIndex, "index", false, "make no pages: only list the versions that are there, and copy the newest to latest/")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := o.check(ctx, flag.Args())
	if err == nil {
		err = o.make()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	tree, out, version, commit string
	onlyIndex                  bool

	say func(format string, args ...any) // what has been done, a line at a time
}

// isFolder is what a version may be called: it is the name of a folder, and part of an address.
var isFolder = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$`)

// check fills in what the flags leave open, and refuses what no site can be made of.
func (o *options) check(ctx context.Context, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q", args[0])
	}
	if _, err := os.Stat(o.tree); err != nil {
		return fmt.Errorf("-tree: %w", err)
	}
	git := func(args ...string) string { // nothing where there is no git, or no repository
		c := exec.CommandContext(ctx, "git", args...)
		c.Dir = o.tree
		out, err := c.Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	if o.version == "" {
		o.version = git("describe", "--tags", "--always", "--dirty")
	}
	if o.version == "" {
		o.version = "devel"
	}
	if o.commit == "" {
		o.commit = git("rev-parse", "HEAD")
	}
	if !isFolder.MatchString(o.version) || o.version == latest {
		return fmt.Errorf("-version is %q, want the name of a folder: v1.2.3", o.version)
	}
	return nil
}

// make makes the pages of the version, and the index of all that are there.
func (o *options) make() error {
	if !o.onlyIndex {
		s, err := build(os.DirFS(o.tree), o.version, o.commit)
		if err != nil {
			return err
		}
		if err := s.write(o.out); err != nil {
			return err
		}
		o.say("%s: %d pages, %d requirements, %d places to search", o.version, len(s.pages), len(s.requirements), len(s.places))
	}
	versions, err := writeIndex(o.out)
	if err != nil {
		return err
	}
	if len(versions) == 0 {
		return errors.New("-index: there is no version in " + o.out)
	}
	o.say("%s/index.html lists %s; latest is %s", o.out, strings.Join(names(versions), ", "), newest(versions).Version)
	return nil
}
