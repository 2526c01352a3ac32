# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Tool chain for 64-bit Arm on x86-64 (preset arm64): Debian's cross compiler, the libraries of arm64 that scripts/devroot
# keeps in a prefix of its own, and an emulator that runs the tests.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT /usr/lib/synelix/arm64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

# A processor whose registers of SVE have 256 bits, as sve256 wants it. Processes that a test starts are x86-64's or the
# emulator's own.
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/qemu-aarch64;-L;/usr/lib/synelix/arm64;-cpu;max,sve256=on,sve-default-vector-length=32)

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# What CMake would ask the x86-64's h5cc for.
set(HDF5_C_COMPILER_EXECUTABLE "${CMAKE_SYSROOT}/usr/bin/h5cc")
