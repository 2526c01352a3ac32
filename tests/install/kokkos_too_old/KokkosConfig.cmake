# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Stands for an installed Kokkos that is too old for Synelix.
set(Kokkos_VERSION 4.2.1)
set(Kokkos_DEVICES OPENMP)
add_library(Kokkos::kokkos INTERFACE IMPORTED)
