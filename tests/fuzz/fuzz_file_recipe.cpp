// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bytes as a recipe for a file that HDF5 itself writes: it has a valid format, but misleading
// contents.
#include "memory_file.hpp"
#include "read_everything.hpp"
#include "recipe.hpp"

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Image image = fuzz::image_of(data, size);
  if (image.bytes.empty()) return 0;
  {
    const fuzz::MemoryFile file(image.bytes.data(), image.bytes.size());
    fuzz::read_everything(file.path());
  }
  if (image.is_sound && H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL) != 0) {
    std::fprintf(stderr, "fuzz: something of the file is still open\n");
    std::abort();
  }
  return 0;
}
