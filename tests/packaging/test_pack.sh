#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# scripts/pack: its programs run in a root that holds the pack and nothing else, and what it refuses.
#
#   test_pack.sh ROOT BUILD
set -uo pipefail

tree=$1 build=$2
work=$(mktemp -d "${TMPDIR:-/tmp}/synelix pack.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
failures=0

# expect NAME CODE PATTERN COMMAND...: exit code, and an extended regular expression that stdout and stderr contain
expect() {
  local name=$1 code=$2 pattern=$3 output got=0
  shift 3
  output=$("$@" 2>&1) || got=$?
  if [[ $got != "$code" ]] || ! grep -q -E -e "$pattern" <<<"$output"; then
    failures=$((failures + 1))
    printf 'FAILED %s: exit code %s, expected %s; output, expected to match /%s/:\n%s\n' "$name" "$got" "$code" "$pattern" "$output"
  fi
}

checker=synelix_golden_check cases='[0-9]+ of [0-9]+ cases checked, 0 differ'
mkdir "$work/root" "$work/mine"
touch "$work/mine/thesis.txt"
expect "a folder with other files" 2 'mine holds something else than a pack' "$tree/scripts/pack" "$build" "$work/mine" "$checker"
expect "which keeps them" 0 thesis ls "$work/mine"
expect "a program that is not there" 2 'has no program frobnicate\. Build it first' \
  "$tree/scripts/pack" "$build" "$work/root/pack" frobnicate
if type -P cc >/dev/null; then             # a pack that failed on the way is made again in its folder
  mkdir -p "$work/broken/bin"
  printf 'int gone(void) { return 0; }\n' | cc -x c -shared -Wl,-soname,libgone.so -o "$work/libgone.so" -
  printf 'int gone(void); int main(void) { return gone(); }\n' | cc -x c -o "$work/broken/bin/program" - -x none "$work/libgone.so"
  rm "$work/libgone.so"
  for turn in first second; do
    expect "a library that is not there, $turn" 1 'libgone\.so, which a program needs, is not on this machine' \
      "$tree/scripts/pack" "$work/broken" "$work/half" program
  done
fi
expect "a pack" 0 '1 programs, [0-9]+ KiB' env SYNELIX_PACK_MIB=1000 "$tree/scripts/pack" "$build" "$work/root/pack" "$checker"
expect "its program" 0 "$cases" "$work/root/pack/run" "$checker" "$work/root/pack/golden.h5"
expect "a pack that is too large, in the place of the other" 1 'more than 1\. Name fewer programs' \
  env SYNELIX_PACK_MIB=1 "$tree/scripts/pack" "$build" "$work/root/pack" "$checker"
[[ $failures == 0 ]] || exit 1

enter=(unshare --user --map-root-user)
[[ $(id -u) != 0 ]] || enter=()
if ! "${enter[@]}" chroot / true 2>/dev/null; then
  echo "skipped: this machine lets no user have a root of his own"
  exit 77
fi
expect "its program in an empty root" 0 "$cases" "${enter[@]}" chroot "$work/root" /pack/lib/loader --library-path /pack/lib \
  "/pack/bin/$checker" /pack/golden.h5
[[ $failures == 0 ]]
