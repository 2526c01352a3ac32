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
/// `FitAnswers`: what walks of a fit have found, in FILE.part behind what HDF5 has written there.
///
///     head     name and version of the format, what the answers are of, with a checksum
///     records  one behind the other: checksum, question, length, answer
///
/// Records are only added. A process that is killed leaves a last record that is not whole, which
/// the next one overwrites.

namespace synelix::h5 {

class FitAnswers {
 public:
  /// The head lies here: behind the mark of `PartFile`.
  static constexpr std::int64_t address = 8192;

  /// \param descriptor   another's
  /// \param fingerprint  in words: what answers are of
  FitAnswers(int descriptor, std::string name, std::string fingerprint);

  /// Takes the answers that are there. Returns false where there is no head. What does not match
  /// its checksum, and what is behind it, is left out.
  /// \throws Error where the head is damaged, of another version of the format, or of another fit
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
  std::int64_t m_end;  ///< where the next record goes
  std::chrono::steady_clock::time_point m_synced = std::chrono::steady_clock::now();
};

}  // namespace synelix::h5
