// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/plan_memory.hpp"
#include "mpi/calls.hpp"
#include "mpi/copy_rows.hpp"
#include "mpi/halo.hpp"

#include <synelix/mpi.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

/// \file
/// Memory of samples that ranks exchange. Messages use host memory. For a device there are copies
/// of the seams and of the sent samples on the device. If MPI can read device memory, messages use
/// these copies directly.

namespace synelix::mpi {

/// The MPI type of one row of samples. It is freed only while MPI is running.
class RowType {
 public:
  explicit RowType(std::int64_t bytes) {
    if (bytes > std::numeric_limits<int>::max()) {
      throw Error("channels", "a sample of all channels has " + std::to_string(bytes) + " bytes",
                  "Use 2 GiB at most; give groups of channels to plans of their own");
    }
    check(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &m_type), "MPI_Type_contiguous");
    check(MPI_Type_commit(&m_type), "MPI_Type_commit");
  }
  RowType(const RowType&) = delete;
  RowType& operator=(const RowType&) = delete;
  ~RowType() {
    int is_ended = 0;
    MPI_Finalized(&is_ended);
    if (m_type != MPI_DATATYPE_NULL && is_ended == 0) MPI_Type_free(&m_type);
  }
  [[nodiscard]] MPI_Datatype type() const { return m_type; }

 private:
  MPI_Datatype m_type = MPI_DATATYPE_NULL;
};

template <class ExecutionSpace>
class HaloMemory {
 public:
  HaloMemory(const ExecutionSpace& exec, const Ranks& ranks, std::int64_t row_bytes, Halo halo)
      : m_ranks(&ranks), m_row_bytes(row_bytes), m_halo(std::move(halo)), m_row(row_bytes) {
    const std::int64_t seam_bytes = m_halo.seam_rows() * row_bytes;
    const std::int64_t sent_bytes = rows_of(m_halo.sends) * row_bytes;
    if (!is_read_on_device()) {
      m_seam_memory = HostBytes(exec, "synelix::mpi: seams", seam_bytes);
      m_sent = HostBytes(exec, "synelix::mpi: samples for others", sent_bytes);
    }
    if constexpr (!on_host) {
      m_device_seams = DeviceBytes(exec, "synelix::mpi: seams on the device", seam_bytes);
      m_device_sent =
          DeviceBytes(exec, "synelix::mpi: samples for others on the device", sent_bytes);
    }
  }

  [[nodiscard]] std::int64_t received_bytes() const {
    return rows_of(m_halo.receives) * m_row_bytes;
  }

  /// Posts all messages, and copies own samples to the seams.
  void start(const ExecutionSpace& exec, const Strided& own) {
    m_requests.clear();
    m_requests.reserve(m_halo.receives.size() + m_halo.sends.size());
    for (const Message& message : m_halo.receives) {
      post([&](MPI_Request& request) {
        return MPI_Irecv(seam_row(message_seams(), message.seam, message.samples.begin),
                         static_cast<int>(message.samples.size()), m_row.type(), message.rank,
                         message.seam, m_ranks->comm(), &request);
      });
    }
    pack(exec, own);
    std::int64_t row = 0;
    for (const Message& message : m_halo.sends) {
      post([&](MPI_Request& request) {
        return MPI_Isend(message_sent() + row * m_row_bytes,
                         static_cast<int>(message.samples.size()), m_row.type(), message.rank,
                         message.seam, m_ranks->comm(), &request);
      });
      row += message.samples.size();
    }
    for (int seam = 0; seam < 2; ++seam) {
      const Range samples = m_halo.seams[static_cast<std::size_t>(seam)];
      const Range both{std::max(samples.begin, m_halo.own.begin),
                       std::min(samples.end, m_halo.own.end)};
      if (both.begin >= both.end) continue;
      copy_rows(exec, own, {both.begin - m_halo.own.begin, both.end - m_halo.own.begin},
                seam_row(computed_seams(), seam, both.begin));
    }
  }

  /// Waits for all messages.
  void finish(const ExecutionSpace& exec) {
    const int code =
        MPI_Waitall(static_cast<int>(m_requests.size()), m_requests.data(), MPI_STATUSES_IGNORE);
    m_requests.clear();
    check(code, "MPI_Waitall");
    if constexpr (!on_host) {
      if (is_read_on_device()) return;
      for (const Message& message : m_halo.receives) {
        copy(exec, seam_row(computed_seams(), message.seam, message.samples.begin),
             seam_row(message_seams(), message.seam, message.samples.begin),
             message.samples.size() * m_row_bytes);
      }
    }
  }

  /// The samples of a seam, in memory that the execution space reads.
  [[nodiscard]] const std::byte* samples_of(int seam) const {
    const Range samples = m_halo.seams[static_cast<std::size_t>(seam)];
    return seam_row(computed_seams(), seam, samples.begin);
  }

 private:
  static constexpr bool on_host = seam::is_on_host<ExecutionSpace>;
  using HostMemorySpace =
      std::conditional_t<on_host, Kokkos::HostSpace, Kokkos::SharedHostPinnedSpace>;
  using HostBytes = plan::OwnedMemory<std::byte, HostMemorySpace>;
  using DeviceBytes = plan::OwnedMemory<std::byte, typename ExecutionSpace::memory_space>;

  /// Whether messages use memory of a device.
  [[nodiscard]] bool is_read_on_device() const {
    return !on_host && m_ranks->messages() == MessageMemory::device;
  }
  /// The memory of seams for kernels, and for messages.
  [[nodiscard]] std::byte* computed_seams() const {
    return on_host ? m_seam_memory.data() : m_device_seams.data();
  }
  [[nodiscard]] std::byte* message_seams() const {
    return is_read_on_device() ? m_device_seams.data() : m_seam_memory.data();
  }
  [[nodiscard]] std::byte* message_sent() const {
    return is_read_on_device() ? m_device_sent.data() : m_sent.data();
  }
  [[nodiscard]] std::byte* seam_row(std::byte* memory, int seam, std::int64_t sample) const {
    const std::int64_t before = seam == 0 ? 0 : m_halo.seams[0].size();
    const std::int64_t row = sample - m_halo.seams[static_cast<std::size_t>(seam)].begin;
    return memory + (before + row) * m_row_bytes;
  }

  template <class Call>
  void post(const Call& call) {
    m_requests.push_back(MPI_REQUEST_NULL);
    check(call(m_requests.back()), "a message of samples");
  }

  /// Copies the samples to send to the memory of messages. The copy is complete when it returns.
  void pack(const ExecutionSpace& exec, const Strided& own) {
    std::byte* const packed = [&] {
      if constexpr (on_host) {
        exec.fence("synelix::mpi: samples are there");
        return m_sent.data();
      } else {
        return m_device_sent.data();
      }
    }();
    std::int64_t row = 0;
    for (const Message& message : m_halo.sends) {
      const Range rows{message.samples.begin - m_halo.own.begin,
                       message.samples.end - m_halo.own.begin};
      copy_rows(exec, own, rows, packed + row * m_row_bytes);
      row += rows.size();
    }
    if constexpr (!on_host) {
      if (!is_read_on_device()) {
        copy(exec, m_sent.data(), m_device_sent.data(), row * m_row_bytes);
      }
      exec.fence("synelix::mpi: samples for others are packed");
    }
  }

  /// Copies bytes between the device and pinned memory, in the order of exec.
  static void copy(const ExecutionSpace& exec, std::byte* to, const std::byte* from,
                   std::int64_t bytes) {
    using Space = typename ExecutionSpace::memory_space;  // it can access both
    using Bytes = Kokkos::View<std::byte*, Space, Kokkos::MemoryUnmanaged>;
    using ConstBytes = Kokkos::View<const std::byte*, Space, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(exec, Bytes(to, static_cast<std::size_t>(bytes)),
                      ConstBytes(from, static_cast<std::size_t>(bytes)));
  }

  const Ranks* m_ranks;
  std::int64_t m_row_bytes;
  Halo m_halo;
  RowType m_row;
  HostBytes m_seam_memory;
  HostBytes m_sent;
  DeviceBytes m_device_seams;
  DeviceBytes m_device_sent;
  std::vector<MPI_Request> m_requests;
};

}  // namespace synelix::mpi
