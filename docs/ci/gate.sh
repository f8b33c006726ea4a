#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The script of every gate in docs/ci: it installs a release of agentic-sandbox-conformance, runs it, and says by its exit code
# whether the gate is open. Everything comes from the environment; a token is on no command line, where others could read it.
#
#   CONFORMANCE_VERSION     the release to install: v1.2.3
#   CONFORMANCE_PROGRAM     a program that is there already, instead of a release
#   CONFORMANCE_FAIL_ON     incomplete (default): everything but a pass closes the gate, as do warnings and gaps that your policy
#                           forbids; fail: only broken requirements, not what could not be measured; never: neither of them.
#                           A wrong configuration, a target that is not there and rejected tokens always close it.
#   CONFORMANCE_REPORTS     folder for the reports (default: conformance-report)
#   CONFORMANCE_FORMATS     their formats (default: markdown,json,junit)
#   CONFORMANCE_DOWNLOADS   URL or mirror below which the releases are
#
# And the flags of the program as AGENTIC_SANDBOX_CONFORMANCE_<FLAG>: _EXECUTOR_URL, _PROFILE, _BASELINE, _TOKEN, ...
set -eu

reports=${CONFORMANCE_REPORTS:-conformance-report}
program=${CONFORMANCE_PROGRAM:-}
fail_on=${CONFORMANCE_FAIL_ON:-incomplete}
temporary=
trap '[ -z "$temporary" ] || rm -rf "$temporary"' EXIT

wrong() {
  echo "gate: $*" >&2
  exit 2
}

case $fail_on in incomplete | fail | never) ;; *) wrong "CONFORMANCE_FAIL_ON is \"$fail_on\", want incomplete, fail or never" ;; esac

# A forge hands over an input that nobody gave as an empty variable.
[ -n "${AGENTIC_SANDBOX_CONFORMANCE_PROFILE-}" ] || unset AGENTIC_SANDBOX_CONFORMANCE_PROFILE
[ -n "${AGENTIC_SANDBOX_CONFORMANCE_BASELINE-}" ] || unset AGENTIC_SANDBOX_CONFORMANCE_BASELINE
[ -n "${AGENTIC_SANDBOX_CONFORMANCE_TOKEN-}" ] || unset AGENTIC_SANDBOX_CONFORMANCE_TOKEN

if [ -z "$program" ]; then
  version=${CONFORMANCE_VERSION:-}
  case $version in v[0-9]*.[0-9]*.[0-9]*) ;; *) wrong "CONFORMANCE_VERSION is \"$version\", want a release like v1.2.3" ;; esac
  case $(uname -s) in Linux) os=linux ;; Darwin) os=darwin ;; *) wrong "this script installs on Linux and macOS only; set CONFORMANCE_PROGRAM" ;; esac
  case $(uname -m) in x86_64 | amd64) arch=amd64 ;; aarch64 | arm64) arch=arm64 ;; *) wrong "there is no release for $(uname -m); set CONFORMANCE_PROGRAM" ;; esac
  name=agentic-sandbox-conformance_${version#v}_${os}_$arch
  from=${CONFORMANCE_DOWNLOADS:-https://github.com/roctinam/agentic-sandbox-conformance/releases/download}/$version
  temporary=$(mktemp -d)
  for file in "$name.tar.gz" SHA256SUMS; do
    curl --fail --silent --show-error --location --retry 3 --output "$temporary/$file" "$from/$file" || wrong "cannot download $from/$file"
  done
  (
    cd "$temporary"
    grep " $name.tar.gz\$" SHA256SUMS >sum || wrong "SHA256SUMS of $version has no $name.tar.gz"
    if command -v sha256sum >/dev/null; then sha256sum -c sum; else shasum -a 256 -c sum; fi >&2
  ) || wrong "$name.tar.gz is not what SHA256SUMS says; it is not run"
  tar -xzf "$temporary/$name.tar.gz" -C "$temporary"
  program=$temporary/$name/agentic-sandbox-conformance
fi

mkdir -p "$reports"
code=0
"$program" run --report-format "${CONFORMANCE_FORMATS:-markdown,json,junit}" --report-out "$reports/conformance.report.md" || code=$?

case $code in
0) verdict=pass ;; 1) verdict=fail ;; 2) verdict=error ;; 3) verdict=unreachable ;; 4) verdict=unauthorized ;;
5) verdict=incomplete ;; 130) verdict=interrupted ;; *) verdict=bug ;;
esac
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  printf 'verdict=%s\nexit-code=%s\nreports=%s\n' "$verdict" "$code" "$reports" >>"$GITHUB_OUTPUT"
fi
case $fail_on/$verdict in
fail/incomplete | never/incomplete | never/fail)
  echo "gate: the verdict is $verdict, which CONFORMANCE_FAIL_ON=$fail_on lets pass" >&2
  exit 0
  ;;
esac
exit "$code"
