// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/fit/fit_answers.hpp"

#include "part_files/descriptor.hpp"
#include "part_files/records.hpp"

#include <synelix/error.hpp>
#include <synelix/types/session.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace synelix::h5 {
namespace {

using Question = AnswerStore::Question;

/// The last character is the version of the format.
constexpr std::string_view answers_format = "Synelix fit 1";
constexpr const char* fit_anew =
    "Start a run without resume, which begins anew and replaces this file";

struct AnswersHead {
  std::array<char, 16> name = {};
  std::uint64_t checksum = 0;  ///< of the following members, and of the text after the record
  std::int64_t text_bytes = 0;
};

struct AnswerRecord {
  std::uint64_t checksum = 0;  ///< of the following members, and of the answer after the record
  Question question = {};
  std::int64_t bytes = 0;
};

std::string_view chars_of(std::span<const std::byte> answer) {
  return {reinterpret_cast<const char*>(answer.data()), answer.size()};
}

}  // namespace

FitAnswers::FitAnswers(int descriptor, std::string name, std::string fingerprint)
    : m_descriptor(descriptor),
      m_name(std::move(name)),
      m_fingerprint(std::move(fingerprint)),
      m_end(first_record()) {}

std::int64_t FitAnswers::first_record() const {
  return address + static_cast<std::int64_t>(sizeof(AnswersHead) + m_fingerprint.size());
}

bool FitAnswers::take() {
  AnswersHead head;
  if (!stream::read_at(m_descriptor, address, &head, sizeof(head))) return false;
  const std::string_view name(head.name.data(), answers_format.size());
  if (name.substr(0, answers_format.size() - 1) !=
      answers_format.substr(0, answers_format.size() - 1))
    return false;
  if (name != answers_format) {
    throw FileError(m_name, "its answers were written by another version of synelix", fit_anew);
  }
  struct stat now = {};
  if (fstat(m_descriptor, &now) != 0) {
    throw FileError(m_name + ": cannot be read: " + std::strerror(errno));
  }
  const auto room =
      static_cast<std::int64_t>(now.st_size) - address - static_cast<std::int64_t>(sizeof(head));
  std::string text(static_cast<std::size_t>(std::clamp<std::int64_t>(head.text_bytes, 0, room)),
                   ' ');
  if (!stream::read_at(m_descriptor, address + static_cast<std::int64_t>(sizeof(head)), text.data(),
                       text.size()) ||
      head.checksum != stream::checksum_of_record(head, text)) {
    throw FileError(m_name, "what it says of the fit is damaged", fit_anew);
  }
  require_same(m_name, fingerprint_from(text), fingerprint_from(m_fingerprint), fit_anew);
  take_records(now.st_size);
  return true;
}

void FitAnswers::take_records(std::int64_t file_bytes) {
  constexpr auto head = static_cast<std::int64_t>(sizeof(AnswerRecord));
  std::vector<std::byte> answer;
  bool is_damaged = false;
  while (m_end + head <= file_bytes) {
    AnswerRecord record;
    if (!stream::read_at(m_descriptor, m_end, &record, sizeof(record))) break;
    if (record.bytes < 0 || record.bytes > file_bytes - m_end - head) break;
    answer.resize(static_cast<std::size_t>(record.bytes));
    is_damaged = !stream::read_at(m_descriptor, m_end + head, answer.data(), answer.size()) ||
                 record.checksum != stream::checksum_of_record(record, chars_of(answer));
    if (is_damaged) break;
    m_places[record.question] = {m_end + head, record.bytes};
    m_end += head + record.bytes;
  }
  if (is_damaged) {
    warn(m_name + ": what it holds behind " + std::to_string(count()) +
         " answers does not match its checksums, so the rest is computed again");
  }
}

void FitAnswers::begin() const {
  const std::string bytes = stream::bytes_of_head(AnswersHead(), answers_format, m_fingerprint,
                                                  sizeof(AnswersHead) + m_fingerprint.size());
  constexpr std::size_t head =
      sizeof(AnswersHead);  // written last: without it there are no answers
  stream::write_at(m_descriptor, address + static_cast<std::int64_t>(head), bytes.data() + head,
                   m_fingerprint.size(), m_name);
  stream::write_at(m_descriptor, address, bytes.data(), head, m_name);
}

void FitAnswers::keep(const Question& question, std::span<const std::byte> answer) {
  AnswerRecord record;
  record.question = question;
  record.bytes = static_cast<std::int64_t>(answer.size());
  record.checksum = stream::checksum_of_record(record, chars_of(answer));
  constexpr auto head = static_cast<std::int64_t>(sizeof(record));
  stream::write_at(m_descriptor, m_end, &record, sizeof(record), m_name);
  stream::write_at(m_descriptor, m_end + head, answer.data(), answer.size(), m_name);
  m_places[question] = {m_end + head, record.bytes};
  m_end += head + record.bytes;
  const auto now = std::chrono::steady_clock::now();
  if (now - m_synced < stream::time_to_disk) return;
  stream::sync_data(m_descriptor, m_name);
  m_synced = now;
}

std::vector<std::byte> FitAnswers::find(const Question& question) const {
  const auto found = m_places.find(question);
  if (found == m_places.end()) return {};
  std::vector<std::byte> answer(static_cast<std::size_t>(found->second.bytes));
  if (!stream::read_at(m_descriptor, found->second.address, answer.data(), answer.size())) {
    throw FileError(m_name + ": cannot be read: " + std::strerror(errno));
  }
  return answer;
}

}  // namespace synelix::h5
