// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/calls.hpp"

#include <synelix/types/mpi.hpp>

#include <string>
#include <utility>

namespace synelix::mpi {
namespace {

bool is_running() {
  int is_begun = 0;
  int is_ended = 0;
  MPI_Initialized(&is_begun);
  MPI_Finalized(&is_ended);
  return is_begun != 0 && is_ended == 0;
}

void set_free(MPI_Comm& comm) {
  if (comm != MPI_COMM_NULL && is_running()) MPI_Comm_free(&comm);
  comm = MPI_COMM_NULL;
}

}  // namespace

struct Ranks::Held {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  int on_node = 1;
  MessageMemory messages = MessageMemory::host;

  Held() = default;
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() { set_free(comm); }
};

Ranks::Ranks(MPI_Comm comm, MessageMemory messages) {
  if (!is_running()) {
    throw StateError("mpi::Ranks", "MPI is not running",
                     "Call MPI_Init before, and keep Ranks in a "
                     "scope that ends before MPI_Finalize");
  }
  if (comm == MPI_COMM_NULL) {
    throw Error("comm", "MPI_COMM_NULL has no ranks", "Use MPI_COMM_WORLD or a part of it");
  }
  if (messages != MessageMemory::host && messages != MessageMemory::device) {
    throw Error("messages", std::to_string(static_cast<int>(messages)) + " is no MessageMemory",
                "Use host or device");
  }
  m_held = std::make_unique<Held>();
  m_held->messages = messages;
  check(MPI_Comm_dup(comm, &m_held->comm), "MPI_Comm_dup");
  check(MPI_Comm_set_errhandler(m_held->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(m_held->comm, &m_held->rank), "MPI_Comm_rank");
  check(MPI_Comm_size(m_held->comm, &m_held->size), "MPI_Comm_size");
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(m_held->comm, MPI_COMM_TYPE_SHARED, m_held->rank, MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  const int code = MPI_Comm_size(node, &m_held->on_node);
  set_free(node);
  check(code, "MPI_Comm_size");
}

Ranks::Ranks(Ranks&&) noexcept = default;
Ranks& Ranks::operator=(Ranks&&) noexcept = default;
Ranks::~Ranks() = default;

int Ranks::rank() const { return m_held->rank; }
int Ranks::size() const { return m_held->size; }
int Ranks::on_node() const { return m_held->on_node; }
MessageMemory Ranks::messages() const { return m_held->messages; }
MPI_Comm Ranks::comm() const { return m_held->comm; }

Range Ranks::share(std::int64_t items) const {
  if (items < 0) {
    throw Error("items", std::to_string(items) + " is negative", "Use 0 or more");
  }
  return share_of(items, rank(), size());
}

}  // namespace synelix::mpi
