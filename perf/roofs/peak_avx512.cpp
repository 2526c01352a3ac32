// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "roofs/memory_loops.hpp"
#include "roofs/peak.hpp"

namespace synelix::perf {

const PeakLoop<float> peak_float_avx512{lanes::Pack<float, lanes::Avx512>::lanes,
                                        &multiply_adds<float, lanes::Avx512>};
const PeakLoop<double> peak_double_avx512{lanes::Pack<double, lanes::Avx512>::lanes,
                                          &multiply_adds<double, lanes::Avx512>};
const MemoryLoops memory_avx512{&read_all<lanes::Avx512>, &store_all<lanes::Avx512>,
                                &stream_all<lanes::Avx512>};

}  // namespace synelix::perf
