// SPDX-License-Identifier: Apache-2.0

//go:build !linux

package main

import (
	"errors"
	"testing"
)

func asContainer() (int, bool) { return 0, false }

func cannotStartImages() string { return "images are started on Linux only" }

func (i image) start(*testing.T, string, string, ...string) (string, error) {
	return "", errors.ErrUnsupported
}

func ownerOf(string) (string, error) { return "", errors.ErrUnsupported }
