// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A filter that HDF5 loads from a folder: it turns the bits of each byte.
#include <H5PLextern.h>
#include <hdf5.h>

#include <cstddef>

namespace {

std::size_t turn_bits(unsigned, std::size_t, const unsigned*, std::size_t bytes, std::size_t*,
                      void** buffer) {
  auto* const values = static_cast<unsigned char*>(*buffer);
  for (std::size_t i = 0; i < bytes; ++i) values[i] ^= 0xFFU;
  return bytes;
}

const H5Z_class2_t filter = {H5Z_CLASS_T_VERS, 32001,   1,       1,
                             "turned bits",    nullptr, nullptr, turn_bits};

}  // namespace

H5PL_type_t H5PLget_plugin_type(void) { return H5PL_TYPE_FILTER; }
const void* H5PLget_plugin_info(void) { return &filter; }
