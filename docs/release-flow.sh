#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A release gate from its first red run to a signed report, on the bundled reference executor:
#
#   1. the target breaks two requirements: exit 1
#   2. both are accepted in a baseline: exit 0, with 2 waived
#   3. one of them is repaired: its entry is stale and refused, exit 5
#   4. the entry is removed: exit 0, with 1 waived
#   5. what changed since the first run: one is fixed, none is worse
#   6. the last report is signed, and the signature verified
#
#   docs/release-flow.sh [PROGRAM [FOLDER]]
#
# PROGRAM is bin/agentic-sandbox-conformance (make build) when it is not given. The files go to FOLDER, which is a temporary
# one that is removed in the end when it is not given. It takes some seconds, because it asks one surface only: leave
# `--surface card` out to ask the whole profile, as a real gate does.
set -eu

program=${1:-bin/agentic-sandbox-conformance}
case $program in */*) program=$(cd "$(dirname "$program")" && pwd)/$(basename "$program") ;; esac
folder=${2:-}
temporary=
[ -n "$folder" ] || folder=$(mktemp -d) temporary=$folder
mkdir -p "$folder"
cd "$folder"

target=
stop() {
  [ -z "$target" ] || { kill "$target" && wait "$target" || true; } 2>/dev/null
  target=
}
finish() {
  stop
  rm -f ready
  [ -z "$temporary" ] || rm -rf "$temporary"
}
trap finish EXIT
trap 'exit 130' INT TERM

# start FLAG...: serves the reference executor, and sets $url to its address once it accepts connections.
start() {
  stop
  rm -f ready
  mkfifo ready
  "$program" reference "$@" >ready &
  target=$!
  read -r line <ready
  url=${line#reference-executor ready: }
}

# wants CODE COMMAND...: runs the command, and ends everything when it does not exit with that code.
wants() {
  want=$1 code=0
  shift
  "$@" || code=$?
  [ "$code" -eq "$want" ] || { echo "exit $code, want $want: $*" >&2; exit 1; }
}

# gate NAME FLAG...: the gate itself; its reports are NAME.md, NAME.json and NAME.junit.xml.
gate() {
  name=$1
  shift
  "$program" --profile agentic-sandbox-v2 --executor-url "$url" --surface card --report-format markdown,json,junit --report-out "$name.md" "$@" 2>"$name.log"
}

# says NAME TEXT: the log of the gate holds the text.
says() {
  grep -q -e "$2" "$1.log" || { echo "$1 does not say: $2" >&2; cat "$1.log" >&2; exit 1; }
  grep -e '^WAIVED' -e '^policy not met' -e '^CONFORMANCE' "$1.log" || true
}

# Tokens stay off the command line, where everybody on the machine can read them.
AGENTIC_SANDBOX_CONFORMANCE_TOKEN=instance-$$ AGENTIC_SANDBOX_CONFORMANCE_ADMIN_TOKEN=admin-$$
AGENTIC_SANDBOX_REFERENCE_TOKEN=$AGENTIC_SANDBOX_CONFORMANCE_TOKEN AGENTIC_SANDBOX_REFERENCE_ADMIN_TOKEN=$AGENTIC_SANDBOX_CONFORMANCE_ADMIN_TOKEN
export AGENTIC_SANDBOX_CONFORMANCE_TOKEN AGENTIC_SANDBOX_CONFORMANCE_ADMIN_TOKEN AGENTIC_SANDBOX_REFERENCE_TOKEN AGENTIC_SANDBOX_REFERENCE_ADMIN_TOKEN

echo '--- 1. two requirements are broken'
start --fault card-shows-a-bearer-token --fault card-for-unknown-instances
wants 1 gate first
says first '^CONFORMANCE-FAIL .* failed=2 '

echo '--- 2. both are accepted for now'
expires=$(($(date -u +%Y) + 1))-01-31
cat >baseline.yaml <<END
- id: CARD-031
  reason: unknown instances are refused from the next release on
  owner: platform
  issue: https://tracker.example/1234
  expires: $expires
- id: CARD-034
  reason: the example in the card is being replaced
  owner: identity
  expires: $expires
END
wants 0 gate accepted --baseline baseline.yaml
says accepted '^CONFORMANCE-PASS .* waived=2 decided-by=baseline.yaml '

echo '--- 3. one is repaired, and its entry is stale'
start --fault card-shows-a-bearer-token
wants 5 gate stale --baseline baseline.yaml
says stale '^policy not met: baseline.yaml: CARD-031 no longer fails'

echo '--- 4. the entry is removed'
sed -i.before '/CARD-031/,/expires/d' baseline.yaml
wants 0 gate last --baseline baseline.yaml
says last '^CONFORMANCE-PASS .* waived=1 decided-by=baseline.yaml '

echo '--- 5. what changed since the first run'
wants 0 "$program" diff first.json last.json --report-out diff.md
grep -A 4 -e '^## Fixed' -e '^## Waivers' diff.md

echo '--- 6. the report is signed, and the signature verified'
if command -v openssl >/dev/null; then
  (umask 077 && openssl genpkey -algorithm ed25519 -out key.pem)
  openssl pkey -in key.pem -pubout -out public.pem
  wants 0 "$program" attest last.json last.md last.junit.xml --key key.pem
  wants 0 "$program" verify last.intoto.json --key public.pem
  echo >>last.md
  wants 1 "$program" verify last.intoto.json --key public.pem >/dev/null
  echo 'a changed report is refused'
else
  echo 'openssl is not here to make a key, so nothing is signed'
fi
echo 'all of it went as it should'
