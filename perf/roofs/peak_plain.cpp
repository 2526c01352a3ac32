// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "roofs/memory_loops.hpp"
#include "roofs/peak.hpp"

namespace synelix::perf {

const PeakLoop<float> peak_float_plain{lanes::Pack<float, lanes::Plain>::lanes,
                                       &multiply_adds<float, lanes::Plain>};
const PeakLoop<double> peak_double_plain{lanes::Pack<double, lanes::Plain>::lanes,
                                         &multiply_adds<double, lanes::Plain>};
const MemoryLoops memory_plain{&read_all<lanes::Plain>, &store_all<lanes::Plain>,
                               &stream_all<lanes::Plain>};

}  // namespace synelix::perf
