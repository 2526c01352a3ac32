// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/seam/convolve.hpp>
#include <synelix/series.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

/// \file
/// What stream.hpp refuses, and what the command line tool needs to know about streams. For the
/// public headers, not for users.

namespace synelix {
class Source;
class Sink;
}  // namespace synelix

namespace synelix::seam {

/// Whether blocks of a stream on a space go through a device, so that there are two budgets.
template <class ExecutionSpace>
bool goes_through_device(const ExecutionSpace& exec, Staging staging);

/// Whether an argument is a variable of Base or of a derived class.
template <class Argument, class Base>
concept refers_to = std::is_base_of_v<Base, std::remove_cvref_t<Argument>>;

/// Whether `stream_convolve` takes these types: `Input` and `Output` as deduced for Input&& and
/// Output&&.
template <class ExecutionSpace, class Input, class Bank, class Output>
concept can_stream =
    is_filter_bank<Bank> && std::is_same_v<typename Bank::execution_space, ExecutionSpace> &&
    (std::is_convertible_v<Input, Source&> || refers_to<Input, Events>) &&
    std::is_convertible_v<Output, Sink&>;

/// \tparam Input, Output  including references
template <class ExecutionSpace, class Input, class Bank, class Output>
auto refuse_stream() {
  if constexpr (!is_filter_bank<Bank>) {
    static_assert(never<Bank>,
                  "filters must be a synelix FilterBank: make one from a basis, or from taps of "
                  "your own by CustomTaps");
  } else if constexpr (!std::is_same_v<typename Bank::execution_space, ExecutionSpace>) {
    static_assert(never<Bank>,
                  "exec must be an instance of the bank's execution space: name the space in "
                  "FilterBank<Scalar, ExecutionSpace>");
  } else if constexpr (!refers_to<Input, Source> && !refers_to<Input, Events>) {
    static_assert(never<Input>,
                  "a stream reads from a synelix Source or from Events: make a source of samples "
                  "in memory by MemorySource(StridedSeries)");
  } else if constexpr (!refers_to<Output, Sink>) {
    static_assert(never<Output>,
                  "a stream writes to a synelix Sink: make one of an array in memory by "
                  "MemorySink(StridedOutput)");
  } else {
    static_assert(never<Input, Output>,
                  "source and sink must be variables that are not const: a stream changes them, "
                  "and they outlive it");
  }
  return Nothing();
}

}  // namespace synelix::seam

// Overloads that match wrong calls, each with its own message.
namespace synelix {

template <class ExecutionSpace, class Input, class Bank, class Output, class... Options>
  requires(Kokkos::is_execution_space_v<ExecutionSpace> &&
           !seam::can_stream<ExecutionSpace, Input, Bank, Output>)
auto stream_convolve(const ExecutionSpace&, Input&&, const Bank&, Output&&, const Options&...) {
  return seam::refuse_stream<ExecutionSpace, Input, Bank, Output>();
}

}  // namespace synelix
