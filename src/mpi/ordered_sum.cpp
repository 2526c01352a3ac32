// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/segmented_pass.hpp"
#include "mpi/calls.hpp"
#include "mpi/ranked_pass.hpp"

#include <synelix/types/mpi.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace synelix::mpi {
namespace {

using glm::SumNode;
using glm::SumNodes;

constexpr int heads_tag = 1;
constexpr int sums_tag = 2;
void send_nodes(const Ranks& ranks, int to, const SumNodes& nodes) {
  std::vector<std::int64_t> heads;
  for (const SumNode& node : nodes.nodes()) {
    heads.push_back(node.begin);
    heads.push_back(node.level);
  }
  const std::int64_t count = std::ssize(heads);
  check(MPI_Send(&count, 1, MPI_INT64_T, to, heads_tag, ranks.comm()), "MPI_Send");
  in_messages(count, [&](std::int64_t at, int length) {
    check(MPI_Send(heads.data() + at, length, MPI_INT64_T, to, heads_tag, ranks.comm()),
          "MPI_Send");
  });
  for (const SumNode& node : nodes.nodes()) {
    in_messages(std::ssize(node.sum), [&](std::int64_t at, int length) {
      check(MPI_Send(node.sum.data() + at, length, MPI_DOUBLE, to, sums_tag, ranks.comm()),
            "MPI_Send");
    });
  }
}

/// \returns a block that two ranks have added, or -1
std::int64_t receive_nodes(const Ranks& ranks, int from, std::int64_t numbers, SumNodes& nodes) {
  std::int64_t twice = -1;
  std::int64_t count = 0;
  check(MPI_Recv(&count, 1, MPI_INT64_T, from, heads_tag, ranks.comm(), MPI_STATUS_IGNORE),
        "MPI_Recv");
  std::vector<std::int64_t> heads(static_cast<std::size_t>(count));
  in_messages(count, [&](std::int64_t at, int length) {
    check(MPI_Recv(heads.data() + at, length, MPI_INT64_T, from, heads_tag, ranks.comm(),
                   MPI_STATUS_IGNORE),
          "MPI_Recv");
  });
  for (std::size_t k = 0; k < heads.size(); k += 2) {
    SumNode node{heads[k], static_cast<int>(heads[k + 1]),
                 std::vector<double>(static_cast<std::size_t>(numbers))};
    in_messages(numbers, [&](std::int64_t at, int length) {
      check(MPI_Recv(node.sum.data() + at, length, MPI_DOUBLE, from, sums_tag, ranks.comm(),
                     MPI_STATUS_IGNORE),
            "MPI_Recv");
    });
    if (!nodes.add(std::move(node)) && twice < 0) twice = heads[k];
  }
  return twice;
}

/// Collects the nodes of all ranks on rank 0, in steps that double: rank r sends to r - step.
/// \returns a block that two ranks have added, or -1
std::int64_t gather(const Ranks& ranks, std::int64_t numbers, SumNodes& own) {
  std::int64_t twice = -1;
  const int rank = ranks.rank();
  for (int step = 1; step < ranks.size(); step *= 2) {
    if (rank % (2 * step) == step) {
      send_nodes(ranks, rank - step, own);
      break;
    }
    if (rank + step < ranks.size()) {
      const std::int64_t found = receive_nodes(ranks, rank + step, numbers, own);
      if (twice < 0) twice = found;
    }
  }
  return twice;
}

}  // namespace

std::vector<double> sum_of_ranks(const Ranks& ranks, SumNodes nodes, std::int64_t blocks,
                                 std::int64_t numbers) {
  // A block that two ranks have added is detected on the rank where their nodes meet, which may be
  // any rank.
  std::int64_t twice = gather(ranks, numbers, nodes);
  check(MPI_Allreduce(MPI_IN_PLACE, &twice, 1, MPI_INT64_T, MPI_MAX, ranks.comm()),
        "MPI_Allreduce");
  std::vector<double> sum;
  together(ranks, [&] {
    if (twice >= 0) {
      throw Error("block", std::to_string(twice) + " was added by two ranks, or one from there on",
                  "Add each block on one rank");
    }
    if (ranks.rank() != 0) {
      sum.resize(static_cast<std::size_t>(numbers));
      return;
    }
    const std::int64_t missing = nodes.missing(blocks);
    if (missing < blocks) {
      throw Error("block", std::to_string(missing) + " was added by no rank",
                  "Add each block of 0 to " + std::to_string(blocks - 1) + " on one rank");
    }
    sum = nodes.total(numbers);
  });
  in_messages(numbers, [&](std::int64_t at, int length) {
    check(MPI_Bcast(sum.data() + at, length, MPI_DOUBLE, 0, ranks.comm()), "MPI_Bcast");
  });
  return sum;
}

struct OrderedSum::State {
  const Ranks* ranks;
  std::int64_t blocks;
  std::int64_t numbers;
  SumNodes nodes;
};

OrderedSum::OrderedSum(const Ranks& ranks, std::int64_t blocks, std::int64_t numbers) {
  for (const auto& [name, value] : {std::pair{"blocks", blocks}, std::pair{"numbers", numbers}}) {
    if (value < 0) throw Error(name, std::to_string(value) + " is negative", "Use 0 or more");
  }
  m_state = std::unique_ptr<State>(new State{&ranks, blocks, numbers, {}});
}
OrderedSum::OrderedSum(OrderedSum&&) noexcept = default;
OrderedSum& OrderedSum::operator=(OrderedSum&&) noexcept = default;
OrderedSum::~OrderedSum() = default;

void OrderedSum::add(std::int64_t block, std::span<const double> values) {
  if (block < 0 || block >= m_state->blocks) {
    throw Error("block", std::to_string(block) + " is out of range",
                m_state->blocks == 0 ? "There are no blocks"
                                     : "Use 0 to " + std::to_string(m_state->blocks - 1));
  }
  if (std::ssize(values) != m_state->numbers) {
    throw Error("values", std::to_string(values.size()) + " numbers do not fit the sum",
                "Give " + std::to_string(m_state->numbers));
  }
  if (!m_state->nodes.add({block, 0, std::vector<double>(values.begin(), values.end())})) {
    throw Error("block", std::to_string(block) + " was added before", "Add each block once");
  }
}

std::vector<double> OrderedSum::sum() {
  const State& state = *m_state;
  return sum_of_ranks(*state.ranks, std::exchange(m_state->nodes, {}), state.blocks, state.numbers);
}

}  // namespace synelix::mpi
