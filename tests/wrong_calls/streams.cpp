// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <synelix/convolve_stream.hpp>
#include <synelix/stream.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace sx = synelix;

using Exec = Kokkos::DefaultHostExecutionSpace;
template <class Data>
using View = Kokkos::View<Data, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// A space that the bank is not on.
struct OtherSpace : Exec {
  using execution_space = OtherSpace;
};

void wrong_streams(const Exec& exec, const OtherSpace& other,
                   const sx::FilterBank<float, Exec>& bank, sx::MemorySource& source,
                   sx::MemorySink& sink, const View<float**>& samples,
                   const View<float***>& features) {
  // REFUSED: a stream reads from a synelix Source or from Events: make a source of samples in
  // memory by MemorySource(StridedSeries)
  sx::stream_convolve(exec, samples, bank, sink);
  // REFUSED: a stream writes to a synelix Sink: make one of an array in memory by
  // MemorySink(StridedOutput)
  sx::stream_convolve(exec, source, bank, features);
  // REFUSED: source and sink must be variables that are not const
  sx::stream_convolve(exec, std::as_const(source), bank, sink, sx::ConvolveOptions());
  // REFUSED: source and sink must be variables that are not const
  sx::stream_convolve(exec, source, bank, sx::MemorySink(sx::StridedOutput()));
  // REFUSED: filters must be a synelix FilterBank
  sx::stream_convolve(exec, source, samples, sink);
  // REFUSED: exec must be an instance of the bank's execution space
  sx::stream_convolve(other, source, bank, sink);
}

void wrong_blocks(const Exec& exec, sx::ConvolveStream<float, Exec>& stream,
                  const View<float**>& block, const View<float***>& features,
                  const sx::StridedSeries& series) {
  // REFUSED: a block must be a Kokkos View whose first dimension is time, a synelix Strided or
  // Events
  stream.push(exec, series, features);
  // REFUSED: a block must be a Kokkos View whose first dimension is time
  stream.push(exec, std::vector<float>(), features);
  // REFUSED: features must have one dimension more than the samples
  stream.push(exec, block, View<float**>());
  // REFUSED: features must have the scalar type of the bank
  stream.finish(exec, View<double***>());
  // REFUSED: samples must be a Kokkos View or a synelix Series, StridedSeries or Events
  sx::choose_stream(exec, std::vector<std::int8_t>(),
                    sx::FilterBank<double, Exec>(exec, sx::Taps()));
}
