// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/glm.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

/// \file
/// `FitAnswers`: the results of passes of a fit, stored in FILE.part after the data of HDF5.
///
///     head     name and version of the format, fingerprint of the fit, with a checksum
///     records  consecutive: checksum, question, length, answer
///
/// Records are only appended. A killed process leaves an incomplete last record, which the next
/// process overwrites.

namespace synelix::h5 {

class FitAnswers {
 public:
  /// The address of the head: after the mark of `PartFile`.
  static constexpr std::int64_t address = 8192;

  /// \param descriptor not owned
  /// \param fingerprint of the fit, as text
  FitAnswers(int descriptor, std::string name, std::string fingerprint);

  /// Reads the existing answers. Returns false if there is no head. Drops the first record that
  /// does not match its checksum, and all records after it.
  /// \throws Error if the head is damaged, of another version of the format, or of another fit
  bool take();
  /// Writes the head of a file without answers.
  void begin() const;

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(m_places.size()); }
  void keep(const AnswerStore::Question& question, std::span<const std::byte> answer);
  [[nodiscard]] std::vector<std::byte> find(const AnswerStore::Question& question) const;

 private:
  struct Place {
    std::int64_t address = 0;
    std::int64_t bytes = 0;
  };
  void take_records(std::int64_t file_bytes);
  [[nodiscard]] std::int64_t first_record() const;

  int m_descriptor;
  std::string m_name;
  std::string m_fingerprint;
  std::map<AnswerStore::Question, Place> m_places;
  std::int64_t m_end;  ///< address of the next record
  std::chrono::steady_clock::time_point m_synced = std::chrono::steady_clock::now();
};

}  // namespace synelix::h5
