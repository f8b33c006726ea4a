// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"
)

// A file is one that goes into an archive.
type file struct {
	name string // in the archive, with slashes
	path string
	mode os.FileMode
}

// baseName is the name of an archive without its ending, and of the folder in it.
func (s *source) baseName(t target) string {
	return programName + "_" + s.number() + "_" + t.String()
}

// archiveName is the file name of the archive of a target.
func (s *source) archiveName(t target) string {
	if t.os == "windows" {
		return s.baseName(t) + ".zip"
	}
	return s.baseName(t) + ".tar.gz"
}

// archive writes the archive of a target: the program, its licence, the README, man pages and completions.
func (s *source) archive(to string, t target, program string, d *documents) error {
	base := s.baseName(t)
	files := []file{
		{path.Join(base, t.program()), program, 0o755},
		{path.Join(base, "LICENSE"), filepath.Join(s.tree, "LICENSE"), 0o644},
		{path.Join(base, "README.md"), filepath.Join(s.tree, "README.md"), 0o644},
	}
	for _, completion := range d.completions {
		files = append(files, file{path.Join(base, "completions", filepath.Base(completion)), completion, 0o644})
	}
	if t.os != "windows" {
		for _, manual := range d.manuals {
			files = append(files, file{path.Join(base, "man", "man1", filepath.Base(manual)), manual, 0o644})
		}
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	if t.os == "windows" {
		err = writeZip(out, files, s.time)
	} else {
		err = writeTar(out, files, s.time)
	}
	return errors.Join(err, out.Close())
}

// writeTar writes files as a tar archive, compressed by gzip. Nothing in it is of this machine: no owner, and one time for all.
func writeTar(to io.Writer, files []file, at time.Time) error {
	compressed, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	for _, f := range files {
		text, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(text)), Mode: int64(f.mode), ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(h); err != nil {
			return err
		}
		if _, err := archive.Write(text); err != nil {
			return err
		}
	}
	return errors.Join(archive.Close(), compressed.Close())
}

func writeZip(to io.Writer, files []file, at time.Time) error {
	archive := zip.NewWriter(to)
	for _, f := range files {
		text, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		w, err := archive.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return archive.Close()
}
