// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bytes as a file. Files of HDF5's first format have no checksums, so most changes in them are
// read.
#include "memory_file.hpp"
#include "read_everything.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  fuzz::read_everything(file.path());
  return 0;
}
