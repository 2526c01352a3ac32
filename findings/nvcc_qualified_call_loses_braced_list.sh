#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# nvcc 13.0.88: in a template, a braced list with a dependent value as an argument of a function that is called by its
# qualified name (n::first({w.begin, 7})) does not compile. In what nvcc writes for the compiler of the host, the list is
# the expression "(void)0, 7", and g++ says "could not convert". Good guess: what g++ compiles alone compiles under nvcc,
# where no device code is involved. The same call compiles by its unqualified name, outside of a template, or with the name
# of the type before the brace.
# It matters here because kernels are templates that call functions of other folders by their qualified names. The device's
# pass compiles, so a check that compiles device code alone (nvcc --ptx) sees nothing.
# Prints "holds" while this is so, and fails otherwise. It needs g++ of version 11 to 15 on an x86-64 Linux.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 \
  nvidia-cuda-runtime==13.0.96
nvcc=$(find "$folder/venv" -path '*/bin/nvcc')
"$nvcc" --version | grep release
cat >"$folder/source" <<'CUDA'
#include <cstdio>
struct Range { long begin; long end; };
namespace n { inline long length(Range r) { return r.end - r.begin; } }
template <class Work> long ask(const Work& work) { return n::length(LIST); }
struct Work { long begin = 3; };
int main() { std::printf("%ld\n", ask(Work{})); }
CUDA
compile() {                                # NAME LIST COMMAND...: what it prints, or the first error
  name=$1 list=$2; shift 2
  sed "s/LIST/$list/" "$folder/source" >"$folder/$name"
  if "$@" "$folder/$name" -o "$folder/program" 2>"$folder/error"; then
    printf '%s: %s\n' "$name" "$("$folder/program")"
  else
    printf '%s: %s\n' "$name" "$(grep -m 1 -o 'could not convert' "$folder/error" || head -n 1 "$folder/error")"
  fi
}
said=$(
  compile by_gxx.cpp '{work.begin, 7}' g++ -std=c++20
  compile list.cu '{work.begin, 7}' "$nvcc" -std=c++20
  compile with_type.cu 'Range{work.begin, 7}' "$nvcc" -std=c++20
)
printf '%s\n' "$said"
expected='by_gxx.cpp: 4
list.cu: could not convert
with_type.cu: 4'
[ "$said" = "$expected" ] || { echo "no longer holds"; exit 1; }
echo holds
