// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "settings.hpp"

#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace emulator {
namespace {

const char* text_of(const char* name) { return std::getenv(name); }

bool is_on(const char* name, bool otherwise) {
  const char* text = text_of(name);
  return text != nullptr ? std::strcmp(text, "0") != 0 : otherwise;
}

std::uint64_t number_of(const char* name, std::uint64_t otherwise) {
  const char* text = text_of(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string word_of(const char* name, const std::string& otherwise) {
  const char* text = text_of(name);
  return text != nullptr ? text : otherwise;
}

/// Throws for a word that is none of these.
void check_word(const char* name, const std::string& word, const char* allowed) {
  if ((std::string(" ") + allowed + " ").find(" " + word + " ") != std::string::npos) return;
  throw std::runtime_error(std::string(name) + " is \"" + word +
                           "\"; it may be one of: " + allowed);
}

Order order_of(const std::string& word) {
  check_word("EMULATE_ORDER", word, "forward reverse random");
  return word == "reverse" ? Order::reverse : word == "random" ? Order::random : Order::forward;
}

bool is_late(const std::string& word) {
  check_word("EMULATE_STREAMS", word, "early late");
  return word == "late";
}

}  // namespace

Settings settings_of_environment() {
  Settings made;
  made.races = is_on("EMULATE_RACES", true);
  made.unknown = is_on("EMULATE_UNKNOWN", true);
  made.unknown_shared = word_of("EMULATE_UNKNOWN", "") == "2";
  made.order = order_of(word_of("EMULATE_ORDER", "forward"));
  made.apart = is_on("EMULATE_APART", false);
  made.slice = number_of("EMULATE_SLICE", made.slice);
  made.seed = static_cast<unsigned>(number_of("EMULATE_SEED", made.seed));
  made.limit = number_of("EMULATE_LIMIT", made.limit);
  made.ordered_sources = word_of("EMULATE_ORDERED_SOURCES", made.ordered_sources);
  made.path_parts = static_cast<int>(number_of("EMULATE_PATH_PARTS", 3));
  made.profile = static_cast<int>(number_of("EMULATE_PROFILE", 0));
  made.counts = made.profile > 0 || is_on("EMULATE_COUNTS", false);
  made.trace = is_on("EMULATE_TRACE", false);
  made.quiet = is_on("EMULATE_QUIET", false);
  made.stop = is_on("EMULATE_STOP", false);
  made.most = static_cast<int>(number_of("EMULATE_MOST", 60));
  made.log = word_of("EMULATE_LOG", "");
  made.dump = word_of("EMULATE_DUMP", "");
  made.multiprocessors = static_cast<int>(number_of("EMULATE_MULTIPROCESSORS", 132));
  made.late = is_late(word_of("EMULATE_STREAMS", "early"));
  return made;
}

Settings& settings() {
  static auto& made = *new Settings(settings_of_environment());  // read after static objects end
  return made;
}

}  // namespace emulator
