// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <string>
#include <vector>

/// \file
/// What a wrong argument has to get, and the warnings of a call.

namespace oracle {

/// The call throws an Error that begins with the argument, and holds what was found and what is
/// allowed.
template <class Call>
void expect_refused(const Call& call, const std::string& argument, const std::string& found,
                    const std::string& allowed) {
  try {
    call();
    ADD_FAILURE() << argument << " = " << found << " was not refused";
  } catch (const synelix::Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.rfind(argument + ": found ", 0), 0U) << text;
    EXPECT_THAT(text.substr(0, text.find("; allowed: ")), testing::HasSubstr(found));
    EXPECT_THAT(text, testing::HasSubstr("; allowed: "));
    EXPECT_THAT(text.substr(std::min(text.size(), text.find("; allowed: "))),
                testing::HasSubstr(allowed));
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
