// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>
#include <synelix/types/stream.hpp>

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// What mpi.hpp declares, without Kokkos: ranks, their errors and sums. Programs include mpi.hpp.

namespace synelix::mpi {

/// The memory that messages of Views on a device use.
enum class MessageMemory : std::uint8_t {
  host,   ///< pinned memory of the host, which any MPI reads
  device  ///< the device's own: only an MPI that was built for the device reads it
};

/// The ranks of a communicator. It holds a duplicate of the communicator, so messages of the caller
/// and of the library do not mix.
class Ranks {
 public:
  /// Collective. \throws StateError before MPI_Init and after MPI_Finalize, and if MPI fails
  /// \param messages  MessageMemory::device requires an MPI that can read device memory; another
  ///                  one crashes. Has no effect for Views on the host
  explicit Ranks(MPI_Comm comm = MPI_COMM_WORLD, MessageMemory messages = MessageMemory::host);
  Ranks(Ranks&&) noexcept;             ///< moves: leaves the source unusable
  Ranks& operator=(Ranks&&) noexcept;  ///< as the constructor
  ~Ranks();                            ///< frees the duplicate, unless MPI is finalized already

  [[nodiscard]] int rank() const;     ///< of this process, 0 to size() - 1
  [[nodiscard]] int size() const;     ///< ranks of the communicator
  [[nodiscard]] int on_node() const;  ///< ranks that share the memory of this one, itself included
  [[nodiscard]] MPI_Comm comm() const;  ///< the duplicate; its errors are returned, not fatal

  [[nodiscard]] MessageMemory messages() const;  ///< the argument of the constructor

  /// This rank's share of this many items, cut evenly and in the order of the ranks; may be empty.
  /// \throws Error for a negative number
  [[nodiscard]] Range share(std::int64_t items) const;

 private:
  struct Held;
  std::unique_ptr<Held> m_held;
};

/// Thrown by all ranks if one of them failed: "rank 3: " and the message of that rank, with the
/// kind of its error. Messages beyond 64 KiB are cut off. MPI can be used afterwards.
class RankError : public Error {
 public:
  /// \param rank     the lowest one that failed
  /// \param message  the message of its error
  /// \param kind     the kind of its error
  RankError(int rank, const std::string& message, ErrorKind kind)
      : Error("rank " + std::to_string(rank) + ": " + message, kind), m_rank(rank) {}
  [[nodiscard]] int rank() const { return m_rank; }  ///< the lowest one that failed

 private:
  int m_rank;
};

/// Runs a step on all ranks and waits for all of them. Collective. Within the step, ranks may fail
/// at different places, but not between collective calls that other ranks make. A step may call
/// `together` itself: a rank that fails outside of the inner step joins the others in the outer
/// one.
/// \throws RankError on all ranks if the step throws on one or more
void together(const Ranks& ranks, const std::function<void()>& step);

/// Refuses facts that differ between ranks, such as arguments that must be equal on all ranks.
/// Collective.
/// \param what  the name of the facts in the message
/// \throws RankError on all ranks, which names the first fact that differs and both values
void require_same(const Ranks& ranks, std::string_view what, const Fingerprint& facts);

/// Sums over numbered blocks, whose bits depend only on the blocks: they are the leaves of one
/// binary tree, and siblings are added, left + right. So the bits do not depend on the number of
/// ranks, on which rank adds which block, or on the order.
class OrderedSum {
 public:
  /// \param blocks   of all ranks together
  /// \param numbers  of each block
  /// \throws Error if one is negative. The ranks must outlive the sum.
  OrderedSum(const Ranks& ranks, std::int64_t blocks, std::int64_t numbers);
  OrderedSum(OrderedSum&&) noexcept;             ///< moves: leaves the source unusable
  OrderedSum& operator=(OrderedSum&&) noexcept;  ///< as the constructor
  ~OrderedSum();

  /// Adds the numbers of a block, which are copied. A rank whose blocks are neighbors holds at most
  /// two sums for each doubling of their number.
  /// \throws Error for a block out of range, one that this rank has already added, or another
  ///         number of values than `numbers`
  void add(std::int64_t block, std::span<const double> values);

  /// The sum of all blocks, on all ranks; zeros if there are none. Collective. The next sum begins
  /// with no blocks.
  /// \throws RankError on all ranks if no rank has added a block, or two have; the message names
  ///         the block
  [[nodiscard]] std::vector<double> sum();

 private:
  struct State;
  std::unique_ptr<State> m_state;
};

}  // namespace synelix::mpi
