#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ./dev and scripts/devroot: what they refuse, and that a program cannot tell them from a call of its own.
#
#   test_tool_chain.sh ROOT
# shellcheck disable=SC2016                # programs in single quotes are for others
set -uo pipefail

tree=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/synelix tool chain.XXXXXX")
trap 'rm -rf -- "$work"' EXIT
checked=0 failures=0

# expect NAME CODE PATTERN COMMAND...: exit code, and an extended regular expression that stdout and stderr contain
expect() {
  local name=$1 code=$2 pattern=$3 output got=0
  shift 3
  output=$("$@" 2>&1) || got=$?
  checked=$((checked + 1))
  if [[ $got != "$code" ]] || ! grep -q -E -e "$pattern" <<<"$output"; then
    failures=$((failures + 1))
    printf 'FAILED %s: exit code %s, expected %s; output, expected to match /%s/:\n%s\n' "$name" "$got" "$code" "$pattern" "$output"
  fi
}

outside=(env -u SYNELIX_DEVROOT -u SYNELIX_TOOL_CHAIN -u Kokkos_DIR -u Kokkos_ROOT -u CMAKE_PREFIX_PATH)

# ---- ./dev: its words
lines=$("$tree/dev" --help | wc -l)
expect "help has a line for each command" 0 '^22$' echo "$lines"
expect "help of the Python package, which builds nothing" 0 '^  ./dev python --tests' "$tree/dev" python --help
expect "no command" 2 '^\./dev ' "$tree/dev"
expect "unknown command" 2 'unknown command frobnicate' "$tree/dev" frobnicate
expect "unknown option" 2 'unknown option --frobnicate' "$tree/dev" --frobnicate build
expect "unknown configuration" 2 "--config is 'cuda'; it must be openmp or serial" "$tree/dev" --config cuda build
expect "no Spack is named" 0 'skipped, because SYNELIX_SPACK names no Spack' env -u SYNELIX_SPACK "$tree/dev" spack
expect "a Spack that is not there" 2 "SYNELIX_SPACK is '/nowhere', where there is no program bin/spack" \
  env SYNELIX_SPACK=/nowhere "$tree/dev" spack
expect "an unknown step of the Spack check" 2 'there is no step frobnicate' "$tree/dev" spack frobnicate
expect "run without a program" 2 'run needs the name of a program' "$tree/dev" run

# ---- ./dev: which Kokkos
old=$tree/tests/install/kokkos_too_old
expect "named Kokkos that is too old" 1 "Kokkos 4\.2\.1 at $old is too old: Synelix needs 4\.6 or later" \
  "${outside[@]}" Kokkos_ROOT="$old" "$tree/dev" build
expect "the remedy" 1 'Set Kokkos_ROOT to the prefix of a newer one, or SYNELIX_TOOL_CHAIN=devroot' \
  "${outside[@]}" CMAKE_PREFIX_PATH="$work:$old" "$tree/dev" build
expect "unknown tool chain" 2 "SYNELIX_TOOL_CHAIN is 'spack'; it must be machine or devroot" \
  "${outside[@]}" SYNELIX_TOOL_CHAIN=spack "$tree/dev" build
mkdir -p "$work/new/lib/cmake/Kokkos" "$work/programs"
sed 's/4\.2\.1/4.7.1/' "$old/KokkosConfigVersion.cmake" >"$work/new/lib/cmake/Kokkos/KokkosConfigVersion.cmake"
for tool in cmake ninja c++; do printf '#!/bin/sh\nexit 9\n' >"$work/programs/$tool"; chmod +x "$work/programs/$tool"; done
printf '#!/bin/sh\necho "I ran with $Kokkos_DIR"\n' >"$work/programs/hello"
chmod +x "$work/programs/hello"
expect "the machine's own Kokkos is used" 0 "using this machine's Kokkos 4\.7\.1 at $work/new/lib/cmake/Kokkos" \
  "${outside[@]}" PATH="$work/programs:$PATH" Kokkos_ROOT="$work/new" "$tree/dev" run "$work/programs/hello"
echo 'set(Kokkos_DEVICES CUDA;OPENMP)' >"$work/new/lib/cmake/Kokkos/KokkosConfigCommon.cmake"
expect "a configuration that the machine's Kokkos has not" 1 'has CUDA;OPENMP, not serial: leave --config out' \
  "${outside[@]}" PATH="$work/programs:$PATH" Kokkos_ROOT="$work/new" "$tree/dev" --config serial build

# ---- ./dev device: what it refuses, before it fetches or builds anything
expect "no Kokkos for a device" 2 'Kokkos_ROOT is not set\. Set it to the prefix' "${outside[@]}" "$tree/dev" device
expect "a Kokkos for a device that is not there" 2 'Kokkos_ROOT is /nowhere, where CMake finds no Kokkos' \
  "${outside[@]}" Kokkos_ROOT=/nowhere "$tree/dev" device
echo 'set(Kokkos_DEVICES OPENMP;SERIAL)' >"$work/new/lib/cmake/Kokkos/KokkosConfigCommon.cmake"
expect "a Kokkos without a device" 2 'has OPENMP;SERIAL\. Set Kokkos_ROOT to one with CUDA or HIP' \
  "${outside[@]}" Kokkos_ROOT="$work/new" "$tree/dev" device
expect "a pack without a folder" 2 'pack is without a folder' "${outside[@]}" "$tree/dev" device --pack
expect "a pack in a folder with other files" 2 "$work/programs holds something else than a pack" \
  "${outside[@]}" "$tree/dev" device --pack "$work/programs"
expect "an unknown option of device" 2 'unknown option --frobnicate' "${outside[@]}" "$tree/dev" device --frobnicate

# ---- scripts/check: what is stopped leaves no child behind. One would hold the pipe that `expect` reads, and the test hang.
mkdir -p "$work/slow"
printf '#!/bin/sh\nsleep 100000 &\nwait\n' >"$work/slow/shellcheck"
chmod +x "$work/slow/shellcheck"
expect "a check that is out of time" 1 'check shell: FAILED: did not end in time' \
  env PATH="$work/slow:$PATH" SYNELIX_CHECK_UNTIL=$(($(date +%s) + 3)) "$tree/scripts/check" shell
printf '#!/bin/sh\nkill -9 $PPID\n' >"$work/slow/shellcheck"      # as where memory is short
expect "a check that is killed" 1 'check: failed: shell' env -u SYNELIX_CHECK_UNTIL PATH="$work/slow:$PATH" "$tree/scripts/check" shell
expect "a check that is killed before its time is over" 1 'check: failed: shell' \
  env PATH="$work/slow:$PATH" SYNELIX_CHECK_UNTIL=$(($(date +%s) + 100000)) "$tree/scripts/check" shell

# ---- a program run by ./dev and by devroot
cat >"$work/program" <<'PROGRAM'
#!/bin/bash
case $1 in
  code) exit "$2" ;;
  wait) trap 'echo "got $2"; exit 42' "$2"; echo started; while :; do sleep 0.05; done ;;
  show) printf '<%s>' "$PWD" "${@:2}"; cat ;;
esac
PROGRAM
chmod +x "$work/program"
send() {                                   # send SIGNAL COMMAND...: its own shell's job control lets INT through
  local signal=$1 process
  shift
  : >"$work/out"
  env --default-signal=INT "$@" wait "$signal" >"$work/out" & process=$!
  while kill -0 "$process" 2>/dev/null && ! grep -q started "$work/out"; do sleep 0.05; done
  kill -s "$signal" "$process"
  wait "$process"; local code=$?
  cat "$work/out"
  return "$code"
}
show() { (cd "$work" && echo input | "$@" show 'a b' '$c' '*' ''); }
like_a_call() {                            # like_a_call NAME COMMAND...
  local name=$1 signal
  shift
  expect "$name: exit code" 7 '' "$@" code 7
  expect "$name: folder, arguments, stdin" 0 "^<$work><a b><\\\$c><\*><>input\$" show "$@"
  for signal in INT TERM USR1; do expect "$name: signal $signal" 42 "got $signal" send "$signal" "$@"; done
}
like_a_call "dev run" env SYNELIX_DEVROOT="${SYNELIX_DEVROOT-here}" "$tree/dev" run "$work/program"

if [[ -d $("${outside[@]}" "$tree/scripts/devroot" --path 2>/dev/null) ]] && "${outside[@]}" "$tree/scripts/devroot" true 2>/dev/null; then
  like_a_call "devroot" "${outside[@]}" "$tree/scripts/devroot" "$work/program"
  expect "devroot: runs as its caller" 0 "^$(id -u):$(id -g)$" "${outside[@]}" "$tree/scripts/devroot" bash -c 'echo "$(id -u):$(id -g)"'
  for folder in /tmp /var/tmp /dev/shm "$HOME"; do
    [[ -w $folder ]] || continue
    file=$(mktemp "$folder/synelix.XXXXXX")
    echo "seen in $folder" >"$file"
    expect "devroot: a file in $folder" 0 "seen in $folder" "${outside[@]}" "$tree/scripts/devroot" cat "$file"
    rm -f -- "$file"
  done
  expect "devroot: the tool chain is not for writing" 1 'Read-only file system' "${outside[@]}" "$tree/scripts/devroot" touch /usr/planted
  # a machine that refuses namespaces
  mkdir -p "$work/refusing"
  printf '#!/bin/sh\nexit 1\n' >"$work/refusing/unshare"
  chmod +x "$work/refusing/unshare"
  expect "devroot: remedies where namespaces are refused" 1 'docker run .*(seccomp=unconfined)' \
    "${outside[@]}" PATH="$work/refusing:$PATH" "$tree/scripts/devroot" true
  expect "devroot: or without it" 1 'install Kokkos 4\.6 or later, HDF5 and LAPACK' \
    "${outside[@]}" PATH="$work/refusing:$PATH" "$tree/scripts/devroot" true
else
  echo "devroot is not built on this machine, or it refuses namespaces: its part is left out"
fi

# ---- devroot: a machine that it has nothing to fetch from
if type -P dpkg >/dev/null && type -P apt-config >/dev/null; then
  mkdir -p "$work/no source"
  printf '#!/bin/sh\nexit 0\n' >"$work/no source/apt-get"
  chmod +x "$work/no source/apt-get"
  expect "devroot: asks for a mirror" 1 "set SYNELIX_DEBIAN_MIRROR" \
    "${outside[@]}" -u SYNELIX_DEBIAN_MIRROR PATH="$work/no source:$PATH" SYNELIX_DEVROOT_DIR="$work/cache" "$tree/scripts/devroot" true
  expect "devroot: unknown suite" 1 "suite is 'sarge'; it must be trixie, forky or sid" "$tree/scripts/devroot" --suite sarge true
fi

echo "$checked checked, $failures failed"
[[ $failures == 0 ]]
