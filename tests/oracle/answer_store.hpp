// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/glm.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

/// \file
/// A store of answers in memory, for tests of resumed fits.

namespace oracle {

class MemoryStore : public synelix::AnswerStore {
 public:
  [[nodiscard]] bool is_worth(double /*seconds*/, std::int64_t /*bytes*/) const override {
    return kept < most;
  }
  void keep(const Question& question, std::span<const std::byte> answer) override {
    answers[question] = {answer.begin(), answer.end()};
    ++kept;
  }
  [[nodiscard]] std::vector<std::byte> find(const Question& question) override {
    const auto place = answers.find(question);
    if (place == answers.end()) return {};
    ++found;
    return place->second;
  }

  std::map<Question, std::vector<std::byte>> answers;
  int most = 1 << 30;  ///< answers to keep: a killed run leaves its first ones
  int kept = 0;
  int found = 0;
};

/// Calls check(result) with the results of runs that were killed after each number of answers, and
/// then continued. \param run  run(answers) makes a run with a store of answers
/// \return the number of answers of an undisturbed run
inline int resume_after_each(const std::function<void(synelix::AnswerStore&)>& run,
                             const std::function<void()>& check) {
  MemoryStore whole;
  run(whole);
  for (int after = 0; after <= whole.kept; ++after) {
    MemoryStore store;
    store.most = after;
    run(store);
    store.most = whole.most;
    run(store);
    check();
  }
  return whole.kept;
}

}  // namespace oracle
