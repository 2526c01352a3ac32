// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stream/pipeline.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// \file
/// `Staging`: memory of a device for one block of each input and one of the output; none where the
/// host's will do.

namespace synelix::stream {

template <class Scalar, class ExecutionSpace>
class Staging {
 public:
  static constexpr bool is_needed =
      !Kokkos::SpaceAccessibility<ExecutionSpace, Kokkos::HostSpace>::accessible;

  /// \param types  stored type of each input of the plan
  Staging(const ExecutionSpace& exec, const StreamPlan& plan, std::vector<StoredType> types)
      : m_types(std::move(types)) {
    if constexpr (is_needed) {
      const auto fresh = [&](const char* label) {
        return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label);
      };
      for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
        const StreamInputPlan& input = plan.inputs[i];
        m_inputs.push_back(
            Bytes(fresh("synelix::stream::input"),
                  static_cast<std::size_t>(input.block_samples * input.block_channels *
                                           size_of(m_types[i]))));
      }
      m_output =
          Bytes(fresh("synelix::stream::output"),
                static_cast<std::size_t>(plan.block.rows * plan.block.channels * plan.block.bases) *
                    sizeof(Scalar));
    }
  }

  /// What was read of input i, (samples, channels), where the execution space reaches it.
  [[nodiscard]] Strided input(const ExecutionSpace& exec, std::size_t i, const Input& read) const {
    Strided samples;
    samples.data = read.values;
    if constexpr (is_needed) {
      const auto size =
          static_cast<std::size_t>(read.samples.size() * read.channels * size_of(m_types[i]));
      const HostBytes from(static_cast<std::byte*>(const_cast<void*>(read.values)), size);
      Kokkos::deep_copy(exec, Kokkos::subview(m_inputs[i], std::pair(std::size_t{0}, size)), from);
      samples.data = m_inputs[i].data();
    }
    samples.type = m_types[i];
    samples.rank = 2;
    samples.extents = {read.samples.size(), read.channels};
    samples.strides = {read.channels, 1};
    return samples;
  }
  /// Where the execution space writes.
  [[nodiscard]] void* output(void* values) const { return is_needed ? m_output.data() : values; }
  /// Brings what was written to the host.
  void fetch(const ExecutionSpace& exec, void* values, std::int64_t bytes) const {
    if constexpr (is_needed) {
      const auto size = static_cast<std::size_t>(bytes);
      const HostBytes to(static_cast<std::byte*>(values), size);
      Kokkos::deep_copy(exec, to, Kokkos::subview(m_output, std::pair(std::size_t{0}, size)));
    }
  }

 private:
  using Bytes = Kokkos::View<std::byte*, typename ExecutionSpace::memory_space>;
  using HostBytes = Kokkos::View<std::byte*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  std::vector<StoredType> m_types;
  std::vector<Bytes> m_inputs;
  Bytes m_output;
};

}  // namespace synelix::stream
