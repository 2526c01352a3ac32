// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/check_program.hpp"

#include <synelix/error.hpp>
#include <synelix/session.hpp>

#include <Kokkos_Core.hpp>

#include <cstdio>
#include <exception>

namespace golden {
namespace {

struct Count {
  int cases = 0;
  int checked = 0;
  int differ = 0;
};

Outcome outcome_of(Check check, const std::string& section, const Group& group, const Group& root) {
  if (check == nullptr) return {Outcome::Kind::not_compared, "section " + section};
  try {
    return check(group, root);
  } catch (const synelix::Error& error) {
    return {Outcome::Kind::differs, std::string("the library throws: ") + error.what()};
  } catch (const FormatError& error) {
    return {Outcome::Kind::differs, std::string("is not a case of this format: ") + error.what()};
  }
}

void check_case(Check check, const std::string& section, const Group& group, const Group& root,
                Count& count) {
  const Outcome outcome = outcome_of(check, section, group, root);
  ++count.cases;
  const char* verdict = "not compared yet";
  if (outcome.kind != Outcome::Kind::not_compared) {
    ++count.checked;
    verdict = outcome.kind == Outcome::Kind::agrees ? "ok" : "DIFFERS";
    if (outcome.kind == Outcome::Kind::differs) ++count.differ;
  }
  std::printf("%-16s  %s: %s\n", verdict, group.path().c_str(), outcome.text.c_str());
}

// Every case of the file; with a name, that one alone.
int check_file(const char* path, const std::string& only, CheckOf check_of) {
  Count count;
  const auto is_asked = [&](const Group& group) { return only.empty() || group.path() == only; };
  const File file(path);
  for (const std::string& section : file.groups()) {
    const Group group = file.group(section);
    const Check check = check_of(section);
    if (!group.datasets().empty() && is_asked(group)) {
      check_case(check, section, group, file, count);
    }
    for (const std::string& name : group.groups()) {
      const Group item = group.group(name);
      if (is_asked(item)) check_case(check, section, item, file, count);
    }
  }
  if (count.checked == 0) {
    throw FormatError(std::string(path) + " holds no case" +
                      (only.empty() ? "s" : " " + only + " that can be checked"));
  }
  std::printf("%d of %d cases checked, %d differ\n", count.checked, count.cases, count.differ);
  return count.differ == 0 ? 0 : 1;
}

}  // namespace

int run_checks(int argc, char* argv[], const char* program, CheckOf check_of) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // the program reports failures itself
  try {
    const synelix::Session session(argc, argv);
    if (argc != 2 && argc != 3) {
      std::fprintf(stderr, "usage: %s FILE [CASE]\n", program);
      return 2;
    }
    return check_file(argv[1], argc == 3 ? argv[2] : "", check_of);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program, error.what());
    return 2;
  }
}

}  // namespace golden
