// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "products/plan/operands.hpp"

#include <algorithm>
#include <cstddef>

namespace synelix::plan {

void check_result(const char* name, const StridedOutput& c,
                  const std::vector<std::int64_t>& extents, StoredType type, ArrayMemory memory) {
  StridedOutput expected;
  expected.type = type;
  expected.rank = static_cast<int>(extents.size());
  std::copy(extents.begin(), extents.end(), expected.extents.begin());
  StridedOutput found = c;
  std::byte nobodys{};
  if (found.data == nullptr && memory == ArrayMemory::not_needed) found.data = &nobodys;
  check_output(name, found, expected);
}

pack::MatrixSource matrix_source(const Operand& matrices) {
  const Strided& array = matrices.array();
  pack::MatrixSource source;
  source.data = array.data;
  source.type = array.type;
  source.row_stride = array.strides[static_cast<std::size_t>(array.rank - 2)];
  source.column_stride = array.strides[static_cast<std::size_t>(array.rank - 1)];
  source.scale = matrices.scale().all();
  source.offset = matrices.offset().all();
  const bool by_row = matrices.channels_are_rows();
  (by_row ? source.row_scale : source.column_scale) = matrices.scale().each();
  (by_row ? source.row_offset : source.column_offset) = matrices.offset().each();
  return source;
}

}  // namespace synelix::plan
