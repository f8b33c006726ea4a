// SPDX-License-Identifier: Apache-2.0

//go:build unix

package orphans

import (
	"io"
	"os/exec"
	"syscall"
)

// waits reads lines of a sign and a group, and ends the groups that are left at their end.
const waits = `left=
while read -r sign group; do
  others=
  for one in $left; do [ "$one" = "$group" ] || others="$others $one"; done
  left=$others
  [ "$sign" = - ] || left="$left $group"
done
for one in $left; do kill -s KILL -- "-$one"; done 2>/dev/null`

// start starts the process that waits, in a group of its own: what ends this program's group must not end it.
func start() (io.WriteCloser, func() error) {
	c := exec.Command("/bin/sh", "-c", waits)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Dir = "/"
	pipe, err := c.StdinPipe()
	if err != nil || c.Start() != nil {
		return nil, nil
	}
	return pipe, c.Wait
}
