// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/roctinam/agentic-sandbox-conformance/report/attest"
)

var again = flag.String("again", "all", "which programs the whole release builds twice: all, host or none")

var whole = flag.Bool("whole", false, "make a whole release of HEAD, every program twice, and install it: some minutes, and it downloads the tools of the formats")

// TestWholeRelease makes a release of HEAD, signed by a key of the test, and installs all of it that can be installed here. It runs
// in `make release-check` only.
func TestWholeRelease(t *testing.T) {
	if !*whole {
		t.Skip("it takes some minutes: make release-check")
	}
	out := filepath.Join(t.TempDir(), "dist")
	t.Chdir(repository)
	t.Setenv(keyVariable, pemOf(t))
	head, err := said(t.Context(), ".", "git", "rev-parse", "HEAD") // which may move while this test runs
	if err != nil {
		t.Fatal(err)
	}
	o := options{out: out, revision: head, downloads: "https://example.com/downloads", again: *again, say: t.Logf}
	if err := o.release(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := checkOut(t.Context(), ".", head, "", filepath.Join(t.TempDir(), "source"))
	if err != nil {
		t.Fatal(err)
	}
	second := o
	second.out, second.again = filepath.Join(t.TempDir(), "a", "second", "dist"), "none"
	var lines []string
	second.say = func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	t.Setenv(keyVariable, "")
	if err := errors.Join(os.MkdirAll(filepath.Dir(second.out), 0o755), second.release(t.Context())); err != nil {
		t.Fatal(err)
	}
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "UNSIGNED: ") {
		t.Errorf("a release without a key says %q", last)
	}
	t.Run("the same again", func(t *testing.T) { sameFiles(t, out, second.out) })
	t.Run("files", func(t *testing.T) { allFiles(t, s, out) })
	t.Run("archives", func(t *testing.T) { archives(t, s, out) })
	t.Run("site", func(t *testing.T) { siteIsWhole(t, s, filepath.Join(out, s.siteName()+".tar.gz")) })
	t.Run("bills of materials", func(t *testing.T) { bills(t, s, out) })
	t.Run("formula", func(t *testing.T) { formulaIsTrue(t, s, out) })
	t.Run("signature", func(t *testing.T) { signatureHolds(t, s, out) })
	t.Run("Debian package", func(t *testing.T) { debianInstalls(t, s, out) })
	t.Run("go install", func(t *testing.T) { installed(t, s) })
}

// sameFiles: a second release of the commit, made without a key, consists of the same bytes but for the signature.
func sameFiles(t *testing.T, one, other string) {
	first, err := digests(one)
	if err != nil {
		t.Fatal(err)
	}
	first = slices.DeleteFunc(first, func(f attest.Subject) bool { return strings.HasPrefix(f.Name, sumsFile+".") })
	second, err := digests(other)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("a second release differs (-first +second):\n%s", diff)
	}
}

// allFiles: the folder has what the documentation says, and nothing else.
func allFiles(t *testing.T, s *source, out string) {
	want := []string{programName + ".rb", s.siteName() + ".tar.gz", sumsFile, sumsFile + ".sig", sumsFile + ".intoto.json"}
	for _, system := range targets {
		want = append(want, s.archiveName(system), s.archiveName(system)+".cdx.json")
		if system.debian != "" {
			want = append(want, programName+"_"+s.number()+"_"+system.debian+".deb")
		}
	}
	slices.Sort(want)
	var got []string
	entries, err := os.ReadDir(out)
	for _, e := range entries {
		got = append(got, e.Name())
	}
	slices.Sort(got)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("the files are\n%s\nwant\n%s\n(%v)", strings.Join(got, "\n"), strings.Join(want, "\n"), err)
	}
}

// archives: each holds the program with its licence, its manual and its completions, and the one for this machine runs.
func archives(t *testing.T, s *source, out string) {
	for _, system := range targets {
		folder := t.TempDir()
		names := extracted(t, filepath.Join(out, s.archiveName(system)), folder)
		base := s.baseName(system)
		want := []string{base + "/" + system.program(), base + "/LICENSE", base + "/README.md", base + "/completions/_" + programName}
		if system.os != "windows" {
			want = append(want, base+"/man/man1/"+programName+"-run.1")
		}
		for _, name := range want {
			if !slices.Contains(names, name) {
				t.Errorf("%s has no %s: %v", s.archiveName(system), name, names)
			}
		}
		program := filepath.Join(folder, base, system.program())
		if err := needsNothing(system, program); err != nil {
			t.Error(err)
		}
		if system == host() {
			says, err := said(t.Context(), folder, program, "version")
			if err != nil || says != programName+" "+s.version+" ("+s.commit+"), with gRPC" {
				t.Errorf("version: %q, %v", says, err)
			}
		}
	}
}

// extracted puts the files of an archive into a folder, and names them.
func extracted(t *testing.T, path, folder string) []string {
	t.Helper()
	var names []string
	write := func(name string, mode os.FileMode, r io.Reader) error {
		names = append(names, name)
		text, err := io.ReadAll(r)
		to := filepath.Join(folder, filepath.FromSlash(name))
		return errors.Join(err, os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, mode))
	}
	if strings.HasSuffix(path, ".zip") {
		archive, err := zip.OpenReader(path)
		if err != nil {
			t.Fatal(err)
		}
		defer archive.Close()
		for _, f := range archive.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(write(f.Name, f.Mode(), r), r.Close()); err != nil {
				t.Fatal(err)
			}
		}
		return names
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(plain); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err == nil {
			err = write(h.Name, h.FileInfo().Mode(), archive)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// bills: each is a CycloneDX document about this version, with the modules that are linked and Go itself.
func bills(t *testing.T, s *source, out string) {
	for _, system := range targets {
		text, err := os.ReadFile(filepath.Join(out, s.archiveName(system)+".cdx.json"))
		if err != nil {
			t.Fatal(err)
		}
		var bill struct {
			BOMFormat string `json:"bomFormat"`
			Metadata  struct {
				Component struct{ Name, Version string }
			}
			Components []struct{ Name, Version string }
		}
		if err := json.Unmarshal(text, &bill); err != nil {
			t.Fatal(err)
		}
		var modules []string
		for _, c := range bill.Components {
			modules = append(modules, c.Name)
		}
		if bill.BOMFormat != "CycloneDX" || bill.Metadata.Component.Name != modulePath || bill.Metadata.Component.Version != s.version {
			t.Errorf("the bill for %s is %+v", system, bill)
		}
		for _, want := range []string{"std", "modernc.org/sqlite", "google.golang.org/grpc", "github.com/spf13/cobra"} {
			if !slices.Contains(modules, want) {
				t.Errorf("the bill for %s has no %s: %v", system, want, modules)
			}
		}
	}
}

// formulaIsTrue: what the formula downloads is in the folder, with the digest that it says.
func formulaIsTrue(t *testing.T, s *source, out string) {
	text, err := os.ReadFile(filepath.Join(out, programName+".rb"))
	if err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile(`url "https://example\.com/downloads/([^"/]+)/([^"/]+)"\n *sha256 "([0-9a-f]{64})"`).FindAllStringSubmatch(string(text), -1)
	for _, m := range all {
		if got, err := sum(filepath.Join(out, m[2])); err != nil || got != m[3] || m[1] != s.version {
			t.Errorf("%s of %s has the SHA-256 %s, %v; the formula says %s", m[2], m[1], got, err, m[3])
		}
	}
	if len(all) != 4 {
		t.Errorf("the formula has %d archives, want four", len(all))
	}
}

// signatureHolds: for the tools that everybody has, and for the program; and no longer when a file was changed.
func signatureHolds(t *testing.T, s *source, out string) {
	der, err := x509.MarshalPKIXPublicKey(testKey.Public().(ed25519.PublicKey))
	if err != nil {
		t.Fatal(err)
	}
	public := filepath.Join(t.TempDir(), "public.pem")
	if err := os.WriteFile(public, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{
		{"openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-in", sumsFile, "-sigfile", sumsFile + ".sig"},
		{"sha256sum", "-c", "--quiet", sumsFile},
	} {
		if _, err := exec.LookPath(command[0]); err != nil {
			t.Logf("%s is not here: %v", command[0], err)
		} else if _, err := said(t.Context(), out, command[0], command[1:]...); err != nil {
			t.Error(err)
		}
	}
	program := builtProgram(t)
	says, err := said(t.Context(), out, program, "verify", "--release", sumsFile+".intoto.json", "--key", public)
	if err != nil || !strings.Contains(says, "release "+s.version+" of ") || strings.Contains(says, "\nabsent ") {
		t.Errorf("verify: %v\n%s", err, says)
	}
	changed := filepath.Join(t.TempDir(), programName+".rb")
	if err := os.WriteFile(changed, []byte("changed"), 0o644); err != nil {
		t.Fatal(err)
	}
	if says, err := said(t.Context(), out, program, "verify", "--release", sumsFile+".intoto.json", changed, "--key", public); err == nil {
		t.Errorf("a changed file is verified:\n%s", says)
	}
}

// debianInstalls: dpkg reads the package, installs it into an empty system, and removes it again.
func debianInstalls(t *testing.T, s *source, out string) {
	if _, err := exec.LookPath("dpkg"); err != nil || host().debian == "" {
		t.Skip("there is no dpkg here, or no package for this machine")
	}
	deb := filepath.Join(out, programName+"_"+s.number()+"_"+host().debian+".deb")
	info, err := said(t.Context(), ".", "dpkg-deb", "--info", deb)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Package: " + programName + "\n", "Architecture: " + host().debian + "\n", "Maintainer: ", "Description: " + description} {
		if !strings.Contains(info, want) {
			t.Errorf("the package has no %q:\n%s", want, info)
		}
	}
	if strings.Contains(info, "Depends:") {
		t.Errorf("the package needs another one:\n%s", info)
	}
	contents, err := said(t.Context(), ".", "dpkg-deb", "--contents", deb)
	if err != nil || !strings.Contains(contents, "-rwxr-xr-x root/root") || !strings.Contains(contents, "./usr/share/man/man1/"+programName+".1.gz") {
		t.Errorf("contents: %v\n%s", err, contents)
	}
	if os.Geteuid() != 0 {
		t.Skip("to install a package takes root")
	}
	system := t.TempDir()
	for _, folder := range []string{"var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log"} {
		if err := os.MkdirAll(filepath.Join(system, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(system, "var/lib/dpkg/status"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := said(t.Context(), ".", "dpkg", "--root="+system, "--install", deb); err != nil {
		t.Fatal(err)
	}
	says, err := said(t.Context(), system, filepath.Join(system, "usr/bin", programName), "version")
	if err != nil || !strings.Contains(says, s.version) {
		t.Errorf("version: %q, %v", says, err)
	}
	version, err := said(t.Context(), ".", "dpkg-query", "--root="+system, "-W", "-f", "${Version}", programName)
	if err != nil || version == "" || version[0] < '0' || version[0] > '9' {
		t.Errorf("the version of the package is %q, %v", version, err)
	}
	if _, err := said(t.Context(), ".", "dpkg", "--root="+system, "--remove", programName); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(system, "usr/bin", programName)); err == nil {
		t.Error("the program is there after the package was removed")
	}
}
