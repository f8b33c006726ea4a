// SPDX-License-Identifier: Apache-2.0

// Command release makes everything that a release of the program consists of, into one folder:
//
//	make release                                     # or: go run ./cmd/release
//	make release version=v1.2.3 key=release.pem
//
// It releases a commit, never the working tree: the files of the commit are put into a folder of their own and built there, so
// that the same commit and the same version of Go give the same bytes on every machine. It proves that by building again in
// another folder, with an empty cache ([source.buildAgain]).
//
// It stands here, and not a configuration of goreleaser, because of what that costs and what would remain to be written. The last
// goreleaser for this version of Go (v2.17.0) needs a module that not every module proxy serves. The last that builds without it
// (v2.14.3; it was tried in snapshot mode, and works) takes seven minutes on two cores (152 s of processor time), 2 GB of modules that
// nothing else needs, and as much again in the build cache. What it would do for this program is the loop over the targets, the archives, the checksums and the formula;
// that only the commit is built, that it is built twice and compared, that nothing of the system is needed, and the signature are
// ours either way. Where a format has rules of its own, its tool is used, through `go run` and pinned: nfpm for the Debian package,
// cyclonedx-gomod for the bill of materials; neither becomes a dependency of the program.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	o := options{say: func(format string, args ...any) { fmt.Printf(format+"\n", args...) }}
	flag.StringVar(&o.out, "out", "dist", "`folder` for the files; it must be empty, not there, or one that this command has written")
	flag.StringVar(&o.revision, "revision", "HEAD", "`commit` to release")
	flag.StringVar(&o.version, "version", "", "the version, `v1.2.3` (default: the commit's tag, or the pseudo-version that Go gives it)")
	flag.StringVar(&o.key, "key", "", "PEM `file` with the key that signs the checksums: Ed25519, PKCS #8 (default: the environment "+keyVariable+" holds the PEM text)")
	flag.StringVar(&o.downloads, "downloads", "https://github.com/roctinam/agentic-sandbox-conformance/releases/download", "`URL` below which the archives will stand, in a folder for each version")
	flag.StringVar(&o.again, "again", "host", "`which` programs are built a second time, in another folder, and compared: host, all, or none")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := o.check(flag.Args())
	if err == nil {
		err = o.release(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	out, revision, version, key, downloads, again string

	say func(format string, args ...any) // what has been done, a line at a time
}

func (o *options) check(args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("unexpected argument %q", args[0])
	case !slices.Contains([]string{"host", "all", "none"}, o.again):
		return fmt.Errorf("-again is %q, want host, all or none", o.again)
	}
	return nil
}

// release makes all files of a release.
func (o *options) release(ctx context.Context) error {
	key, err := signingKey(o.key)
	if err != nil {
		return err
	}
	if o.out, err = filepath.Abs(o.out); err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	temp, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	s, err := checkOut(ctx, ".", o.revision, o.version, filepath.Join(temp, "source"))
	if err != nil {
		return err
	}
	o.say("%s of commit %s, with %s", s.version, s.commit, s.toolchain)
	if s.dirty {
		o.say("the working tree has changes, which are not in the commit and are not released")
	}
	if err := emptied(o.out); err != nil {
		return err
	}
	programs := map[target]string{}
	for _, t := range targets {
		programs[t] = filepath.Join(temp, "programs", t.String(), t.program())
		if err := s.build(ctx, s.tree, "", t, programs[t]); err != nil {
			return err
		}
		if err := needsNothing(t, programs[t]); err != nil {
			return err
		}
		o.say("built %s", t)
	}
	if err := o.buildAgain(ctx, s, programs, temp); err != nil {
		return err
	}
	documents, err := s.document(ctx, filepath.Join(temp, "documents"))
	if err != nil {
		return err
	}
	site := s.siteName() + ".tar.gz"
	if err := s.site(ctx, filepath.Join(temp, "site"), filepath.Join(o.out, site)); err != nil {
		return err
	}
	o.say("made the site of the documentation: %s", site)
	return o.pack(ctx, s, programs, documents, temp, key)
}

// buildAgain builds the programs that the options ask for a second time.
func (o *options) buildAgain(ctx context.Context, s *source, programs map[target]string, temp string) error {
	var again []target
	for _, t := range targets {
		if o.again == "all" || o.again == "host" && t == host() {
			again = append(again, t)
		}
	}
	if len(again) == 0 {
		return nil
	}
	if err := s.buildAgain(ctx, again, programs, temp); err != nil {
		return err
	}
	o.say("built again in another folder with an empty cache, to the same bytes: %s", names(again))
	return nil
}

// pack makes the files of the release from the programs and their documents.
func (o *options) pack(ctx context.Context, s *source, programs map[target]string, documents *documents, temp string, key *key) error {
	sums := map[string]string{} // SHA-256 by file name
	for _, t := range targets {
		name := s.archiveName(t)
		if err := s.archive(filepath.Join(o.out, name), t, programs[t], documents); err != nil {
			return err
		}
		if err := s.bill(ctx, t, programs[t], filepath.Join(o.out, name+".cdx.json")); err != nil {
			return err
		}
		if t.debian != "" {
			if err := s.debian(ctx, t, programs[t], documents, filepath.Join(temp, "debian"), o.out); err != nil {
				return err
			}
		}
	}
	files, err := digests(o.out)
	if err != nil {
		return err
	}
	for _, f := range files {
		sums[f.Name] = f.Digest.SHA256
	}
	if err := s.formula(filepath.Join(o.out, "agentic-sandbox-conformance.rb"), o.downloads, sums); err != nil {
		return err
	}
	if files, err = writeSums(o.out); err != nil {
		return err
	}
	o.say("%s: %d files, with their checksums in %s", filepath.Base(o.out), len(files), sumsFile)
	if key == nil {
		o.say("UNSIGNED: there is no key; -key FILE or the environment %s gives one", keyVariable)
		return nil
	}
	id, err := key.sign(s.version, o.out, files)
	if err != nil {
		return err
	}
	o.say("signed by the key with the fingerprint %s: %s, %s", id, sumsFile+".sig", sumsFile+".intoto.json")
	return nil
}

// emptied makes a folder, or empties one that a release was written into before. A folder with anything else in it is refused.
func emptied(folder string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return os.MkdirAll(folder, 0o755)
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), programName) && !strings.HasPrefix(e.Name(), sumsFile) {
			return fmt.Errorf("-out: %s holds %s, which no release has written; name another folder", folder, e.Name())
		}
	}
	for _, e := range entries {
		if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
