// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks/buffer.hpp"

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// The memory in which blocks are computed: on a device in slots, each with its own memory and
/// instance, so that copies and kernels of several blocks overlap; or in place.

namespace synelix::blocks {

/// Instances of a space for work that overlaps: streams of a device. A host has nothing to overlap,
/// and Kokkos 4.6 aborts if it is partitioned into more instances than threads.
template <class ExecutionSpace>
std::vector<ExecutionSpace> instances_of(const ExecutionSpace& exec, std::size_t count) {
  if constexpr (std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>) {
    return std::vector<ExecutionSpace>(count, exec);
  } else {
    return Kokkos::Experimental::partition_space(exec, std::vector<int>(count, 1));
  }
}

/// Memory of the host that a device copies from and to.
struct PinnedMemory {
  PinnedMemory(const std::string& label, std::size_t size)
      : bytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), size) {}

  Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace> bytes;
};

/// The bytes of each slot on a device.
struct SlotBytes {
  std::vector<std::int64_t> inputs;
  std::int64_t output = 0;
  std::int64_t workspace = 0;  ///< 0 for the first slot, which uses that of the plan
};

/// All work of a slot runs on its own instance: copies in, kernels, copies out. So this order needs
/// no fence, and other slots run meanwhile. (With an instance for each of the three steps, the host
/// would have to wait between them, because in Kokkos an instance cannot wait for another.)
template <class ExecutionSpace>
class Slots {
 public:
  using Workspace = Kokkos::View<std::byte*, typename ExecutionSpace::memory_space>;

  /// One slot for blocks that are computed in place: an instance without memory.
  Slots(const ExecutionSpace& exec, const std::string& verb)
      : m_instances{exec}, m_wait(wait_label(verb)) {}
  /// \param verb  begins all labels: "synelix::convolve"
  /// \throws Error if the device refuses the memory
  Slots(const ExecutionSpace& exec, const std::string& verb, std::int64_t count,
        const SlotBytes& bytes)
      : m_instances(instances_of(exec, static_cast<std::size_t>(count))), m_wait(wait_label(verb)) {
    for (std::int64_t k = 0; k < count; ++k) {
      Memory memory;
      for (const std::int64_t input : bytes.inputs) {
        memory.inputs.push_back(fresh(exec, verb + "::slot_input", input));
      }
      memory.output = fresh(exec, verb + "::slot_output", bytes.output);
      if (k > 0) memory.workspace = fresh(exec, verb + "::slot_workspace", bytes.workspace);
      m_memory.push_back(std::move(memory));
    }
    exec.fence(verb + ": memory of the slots is there");
  }

  [[nodiscard]] std::size_t count() const { return m_instances.size(); }
  [[nodiscard]] const ExecutionSpace& instance(std::size_t slot) const { return m_instances[slot]; }
  [[nodiscard]] const Workspace& workspace(std::size_t slot) const {
    return m_memory[slot].workspace;
  }

  /// The memory in which kernels of the slot read the beginning of a buffer. They start after the
  /// copy.
  [[nodiscard]] const std::byte* input(std::size_t slot, std::size_t i, const Buffer& from,
                                       std::int64_t bytes) const {
    if (m_memory.empty()) return from.data();
    const Bytes& memory = m_memory[slot].inputs[i];
    if (bytes > 0) copy(slot, memory, from.pinned()->bytes, bytes);
    return memory.data();
  }
  /// The memory to which kernels of the slot write the contents of a buffer.
  [[nodiscard]] std::byte* output(std::size_t slot, const Buffer& to) const {
    return m_memory.empty() ? to.data() : m_memory[slot].output.data();
  }
  /// Copies the output of the kernels to the host, after they are done.
  void fetch(std::size_t slot, const Buffer& to, std::int64_t bytes) const {
    if (!m_memory.empty() && bytes > 0)
      copy(slot, to.pinned()->bytes, m_memory[slot].output, bytes);
  }
  /// Returns when all work of the slot is done.
  void wait(std::size_t slot) const { m_instances[slot].fence(m_wait); }

 private:
  using Bytes = Workspace;
  struct Memory {
    std::vector<Bytes> inputs;
    Bytes output;
    Bytes workspace;
  };

  static std::string wait_label(const std::string& verb) { return verb + ": the block is there"; }
  /// No allocation for 0 bytes.
  static Bytes fresh(const ExecutionSpace& exec, const std::string& label, std::int64_t bytes) {
    if (bytes == 0) return {};
    return allocated_or_refused("budget", "the device", bytes, [&] {
      return Bytes(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label),
                   static_cast<std::size_t>(bytes));
    });
  }
  /// One transfer over the bus, which waits only for the instance.
  template <class To, class From>
  void copy(std::size_t slot, const To& to, const From& from, std::int64_t bytes) const {
    const std::pair<std::size_t, std::size_t> first{0, static_cast<std::size_t>(bytes)};
    Kokkos::deep_copy(m_instances[slot], Kokkos::subview(to, first), Kokkos::subview(from, first));
  }

  std::vector<ExecutionSpace> m_instances;
  std::string m_wait;
  std::vector<Memory> m_memory;
};

}  // namespace synelix::blocks
