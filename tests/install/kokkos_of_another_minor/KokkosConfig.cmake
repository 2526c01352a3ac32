# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Stands for an installed Kokkos of a minor version that Synelix was not built with.
set(Kokkos_VERSION 99.9.0)
set(Kokkos_DEVICES OPENMP)
add_library(Kokkos::kokkos INTERFACE IMPORTED)
