// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "roofs/memory_loops.hpp"
#include "roofs/peak.hpp"

namespace synelix::perf {

const PeakLoop<float> peak_float_avx2{lanes::Pack<float, lanes::Avx2>::lanes,
                                      &multiply_adds<float, lanes::Avx2>};
const PeakLoop<double> peak_double_avx2{lanes::Pack<double, lanes::Avx2>::lanes,
                                        &multiply_adds<double, lanes::Avx2>};
const MemoryLoops memory_avx2{&read_all<lanes::Avx2>, &store_all<lanes::Avx2>,
                              &stream_all<lanes::Avx2>};

}  // namespace synelix::perf
