// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// \file
/// `FitState`: the state of a fit in FILE.part, behind what HDF5 has written there.
///
///     entries  two, in pages of their own: number, place, length and checksum of a state
///     states   two, where their entries say
///
/// A state is brought to the disk before its entry is written in place of the older one. So the
/// newest entry that is whole always leads to a whole state, whatever ends the process.

namespace synelix::h5 {

class FitState {
 public:
  /// The entries lie here: behind the mark of `PartFile`.
  static constexpr std::int64_t address = 8192;

  /// \param descriptor   another's
  /// \param fingerprint  in words: what the state is of
  FitState(int descriptor, std::string name, std::string fingerprint);

  /// Looks for a state. \returns whether there is one
  /// \throws Error where it is damaged, of another version of the format, or of another fit
  bool find();
  /// Bytes of the state that is kept now; 0: there is none.
  [[nodiscard]] std::int64_t bytes() const;
  /// \throws Error where it is damaged
  [[nodiscard]] std::vector<std::byte> load() const;
  void save(std::span<const std::byte> state);

 private:
  struct Entry {
    std::uint64_t sequence = 0;
    std::int64_t address = 0;
    std::int64_t fingerprint_bytes = 0;
    std::int64_t state_bytes = 0;
    std::uint64_t checksum = 0;  ///< of fingerprint and state
  };
  [[nodiscard]] std::optional<Entry> read_entry(int number) const;
  void write_entry(int number, const Entry& entry) const;
  [[nodiscard]] std::vector<std::byte> read(const Entry& entry) const;

  int m_descriptor;
  std::string m_name;
  std::string m_fingerprint;
  std::optional<Entry> m_last;
  int m_last_number = 1;  ///< of the two entries, the one that `m_last` is
};

}  // namespace synelix::h5
