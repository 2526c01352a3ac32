// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <cstddef>
#include <string>
#include <vector>

/// \file
/// The expected errors for wrong arguments, and the warnings of a call.

namespace oracle {

/// The call throws an Error that begins with the argument and ends with a period. It contains the
/// words of the problem, and after them those of the remedy.
template <class Call>
void expect_refused(const Call& call, const std::string& argument, const std::string& problem,
                    const std::string& remedy) {
  try {
    call();
    ADD_FAILURE() << argument << ": " << problem << " was not refused";
  } catch (const synelix::Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind(argument + ": ", 0), 0U) << text;
    EXPECT_EQ(text.back(), '.') << text;
    const std::size_t at = text.find(problem, argument.size());
    EXPECT_NE(at, std::string::npos) << "no \"" << problem << "\" in: " << text;
    EXPECT_NE(text.find(remedy, at == std::string::npos ? 0 : at + problem.size()),
              std::string::npos)
        << "no \"" << remedy << "\" behind the problem in: " << text;
  }
}

/// Collects the warnings of its lifetime.
class Warnings {
 public:
  Warnings()
      : m_before(synelix::set_warning_handler(
            [this](std::string_view text) { m_texts.emplace_back(text); })) {}
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;
  ~Warnings() { synelix::set_warning_handler(m_before); }

  [[nodiscard]] const std::vector<std::string>& texts() const { return m_texts; }

 private:
  std::vector<std::string> m_texts;
  synelix::WarningHandler m_before;
};

}  // namespace oracle
