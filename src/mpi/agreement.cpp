// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/calls.hpp"

#include "streams/fingerprint.hpp"

#include <synelix/types/mpi.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace synelix::mpi {
namespace {

/// Largest number of bytes that are sent of a message or of a list of facts. It bounds the memory
/// of a rank for the text of another one.
constexpr std::size_t most_text = 65536;

/// The error of a rank.
struct Failure {
  std::string text;
  ErrorKind kind = ErrorKind::argument;
};

/// Sends the text of one rank to all. Collective.
void broadcast_text(const Ranks& ranks, int from, std::string& text) {
  int length = static_cast<int>(text.size());
  check(MPI_Bcast(&length, 1, MPI_INT, from, ranks.comm()), "MPI_Bcast");
  text.resize(static_cast<std::size_t>(length));
  check(MPI_Bcast(text.data(), length, MPI_CHAR, from, ranks.comm()), "MPI_Bcast");
}

/// Every rank calls it once, with its failure or null. Collective.
void agree(const Ranks& ranks, const Failure* failure) {
  int first = failure == nullptr ? ranks.size() : ranks.rank();
  check(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, ranks.comm()), "MPI_Allreduce");
  if (first == ranks.size()) return;
  std::string text = ranks.rank() == first ? failure->text : std::string();
  if (text.size() > most_text) text = text.substr(0, most_text) + " (cut off)";
  int kind = ranks.rank() == first ? static_cast<int>(failure->kind) : 0;
  check(MPI_Bcast(&kind, 1, MPI_INT, first, ranks.comm()), "MPI_Bcast");
  broadcast_text(ranks, first, text);
  throw RankError(first, text, static_cast<ErrorKind>(kind));
}

std::string_view value_in(const Fingerprint& facts, const std::string& name) {
  const auto found = std::find_if(facts.begin(), facts.end(),
                                  [&](const auto& fact) { return fact.first == name; });
  return found == facts.end() ? std::string_view() : found->second;
}

std::string shown(std::string_view value) {
  return value.empty() ? "nothing" : "'" + std::string(value) + "'";
}

/// Names and values with their lengths before them, so that the boundaries are unambiguous.
std::string packed(const Fingerprint& facts) {
  std::string text;
  for (const auto& [name, value] : facts) {
    if (value.empty()) continue;
    for (const std::string& part : {name, value}) text += std::to_string(part.size()) + ' ' + part;
  }
  return text;
}

Fingerprint unpacked(std::string_view text) {
  Fingerprint facts;
  const auto take = [&] {
    const std::size_t space = text.find(' ');
    const std::size_t size = std::stoul(std::string(text.substr(0, space)));
    std::string part(text.substr(space + 1, size));
    text.remove_prefix(space + 1 + size);
    return part;
  };
  while (!text.empty()) {
    std::string name = take();
    facts.emplace_back(std::move(name), take());
  }
  return facts;
}

}  // namespace

void together(const Ranks& ranks, const std::function<void()>& step) {
  Failure failure;
  bool has_failed = true;
  try {
    step();
    has_failed = false;
  } catch (const RankError&) {
    throw;  // thrown on all ranks, by a `together` within the step
  } catch (const Error& error) {
    failure = {error.what(), error.kind()};
  } catch (const std::bad_alloc&) {
    failure = {"the system has no memory for this step", ErrorKind::budget};
  } catch (const std::exception& error) {
    failure = {error.what(), ErrorKind::state};
  } catch (...) {
    failure = {"an exception that is not a std::exception", ErrorKind::state};
  }
  agree(ranks, has_failed ? &failure : nullptr);
}

void require_same(const Ranks& ranks, std::string_view what, const Fingerprint& facts) {
  const std::string mine = packed(facts);
  const std::uint64_t sum = stream::Checksum().add(mine.data(), mine.size()).value();
  std::array<std::uint64_t, 2> ends{sum, ~sum};  // the least, and the complement of the greatest
  check(MPI_Allreduce(MPI_IN_PLACE, ends.data(), 2, MPI_UINT64_T, MPI_MIN, ranks.comm()),
        "MPI_Allreduce");
  if (ends[0] == ~ends[1]) return;
  std::string text = ranks.rank() == 0 ? mine : std::string();
  broadcast_text(ranks, 0, text);
  const Fingerprint first = unpacked(text);
  together(ranks, [&] {
    if (mine == text) return;
    for (const Fingerprint* names : {&first, &facts}) {
      for (const auto& [name, value] : *names) {
        const std::string_view expected = value_in(first, name);
        const std::string_view found = value_in(facts, name);
        if (expected == found) continue;
        throw Error(what, name + " is " + shown(found) + ", and " + shown(expected) + " on rank 0",
                    "Give all ranks the same");
      }
    }
    throw Error(what, "its facts have another order or number than on rank 0",
                "Give all ranks the same");
  });
}

}  // namespace synelix::mpi
