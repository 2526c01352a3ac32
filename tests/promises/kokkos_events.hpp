// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "on_device/shared_memory.hpp"
#include "oracle/guarded.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

/// \file
/// Records what Kokkos reports to its tools during the lifetime of an object: launches,
/// allocations, fences, copies. One object at a time. A previous tool also receives launches, and
/// continues afterwards.

namespace promises {

class KokkosEvents {
 public:
  struct Launch {
    std::string label;
    std::uint32_t device;
    std::vector<std::string> within;  ///< regions, the outermost first
  };
  struct Allocation {
    std::string space;  ///< of memory
    std::string label;
    std::int64_t bytes;
    std::vector<std::string> within;
  };

  /// A launch, a fence or a copy, in the order in which they were requested.
  enum class Kind : std::uint8_t { launch, fence, copy };
  struct Step {
    Kind kind;
    std::string label;       ///< for a copy: of the destination
    std::int64_t bytes = 0;  ///< of a copy
  };

  KokkosEvents() {
    namespace tools = Kokkos::Tools::Experimental;
    current() = this;
    tools::set_begin_parallel_for_callback(&launched);
    tools::set_begin_parallel_reduce_callback(&launched);
    tools::set_begin_parallel_scan_callback(&launched);
    tools::set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle space, const char* label,
                                         const void*, std::uint64_t bytes) {
      current()->add([&](KokkosEvents& events) {
        events.allocations.push_back(
            {space.name, label, static_cast<std::int64_t>(bytes), events.within});
      });
    });
    tools::set_pop_region_callback([] {
      current()->add([&](KokkosEvents& events) {
        if (events.within.empty()) {
          events.regions.emplace_back("a region that ends and has not begun");
        } else {
          events.within.pop_back();
        }
      });
    });
    tools::set_begin_fence_callback([](const char* label, std::uint32_t, std::uint64_t*) {
      const std::string text = label;
      if (text.find("Kokkos Profile Tool Fence") != std::string::npos) return;  // the tool's own
      current()->add([&](KokkosEvents& events) {
        events.fences.push_back(text);
        events.steps.push_back({Kind::fence, text});
      });
    });
    tools::set_begin_deep_copy_callback([](Kokkos_Profiling_SpaceHandle, const char* to,
                                           const void*, Kokkos_Profiling_SpaceHandle,
                                           const char* from, const void*, std::uint64_t bytes) {
      current()->add([&](KokkosEvents& events) {
        events.copies.emplace_back(to);
        events.copied.emplace_back(from);
        events.steps.push_back({Kind::copy, to, static_cast<std::int64_t>(bytes)});
      });
    });
    tools::set_push_region_callback([](const char* label) {
      current()->add([&](KokkosEvents& events) {
        events.regions.emplace_back(label);
        events.within.emplace_back(label);
      });
    });
  }
  KokkosEvents(const KokkosEvents&) = delete;
  KokkosEvents& operator=(const KokkosEvents&) = delete;
  ~KokkosEvents() {
    Kokkos::Tools::Experimental::set_callbacks(m_before);
    current() = nullptr;
  }

  /// Bytes that were allocated in the memory of an instance.
  template <class ExecutionSpace>
  [[nodiscard]] std::int64_t bytes_of(const ExecutionSpace&) const {
    std::int64_t sum = 0;
    for (const Allocation& allocation : allocations) {
      if (allocation.space == ExecutionSpace::memory_space::name()) sum += allocation.bytes;
    }
    return sum;
  }

  void clear() {
    launches.clear();
    allocations.clear();
    fences.clear();
    copies.clear();
    copied.clear();
    regions.clear();
    steps.clear();
  }

  std::vector<Launch> launches;
  std::vector<Allocation> allocations;
  std::vector<std::string> fences;
  std::vector<std::string> copies;   ///< their destination
  std::vector<std::string> copied;   ///< their source
  std::vector<std::string> regions;  ///< in the order in which they began
  std::vector<std::string> within;   ///< those that have not ended
  std::vector<Step> steps;

 private:
  static KokkosEvents*& current() {
    static KokkosEvents* instance = nullptr;
    return instance;
  }
  static void launched(const char* label, std::uint32_t device, std::uint64_t* kernel) {
    current()->add([&](KokkosEvents& events) {
      events.launches.push_back({label, device, events.within});
      events.steps.push_back({Kind::launch, label});
      const auto before = events.m_before.begin_parallel_for;
      if (before != nullptr) before(label, device, kernel);
    });
  }
  template <class Body>
  void add(const Body& body) {
    // `new` of tests on a device allocates and fences itself, here too.
    if constexpr (oracle::has_device) {
      if (tests::is_using_shared()) return;
    }
    const std::lock_guard lock(m_mutex);
    body(*this);
  }

  std::mutex m_mutex;
  Kokkos::Tools::Experimental::EventSet m_before = Kokkos::Tools::Experimental::get_callbacks();
};

}  // namespace promises
