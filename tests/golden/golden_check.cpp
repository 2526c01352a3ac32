// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// synelix_golden_check FILE: compares the library with numbers that were derived without it.
//
// A case is a group of a section (/basis/NAME, /conv/NAME, ...), or a section that holds datasets
// itself. Prints a line for each case, then how many of the file's cases were checked. Exit status:
// 0 everything that was checked agrees, 1 something differs, 2 the file cannot be read, or usage.

#include <synelix/error.hpp>
#include <synelix/session.hpp>

#include "golden/golden_bases.hpp"
#include "golden/golden_conv.hpp"
#include "golden/golden_eval.hpp"
#include "golden/golden_features.hpp"
#include "golden/golden_file.hpp"

#include <cstdio>
#include <exception>
#include <string>

namespace {

using golden::Group;
using golden::Outcome;
using Check = Outcome (*)(const Group& item, const Group& root);

/// How a section is compared with the library; null where it cannot be yet.
Check check_of(const std::string& section) {
  if (section == "basis")
    return [](const Group& item, const Group&) { return golden::check_basis(item); };
  if (section == "conv")
    return [](const Group& item, const Group&) { return golden::check_conv(item); };
  if (section == "trials")
    return [](const Group& item, const Group&) { return golden::check_trials(item); };
  if (section == "eval")
    return [](const Group& item, const Group&) { return golden::check_eval(item); };
  if (section == "fourier")
    return [](const Group& item, const Group&) { return golden::check_fourier(item); };
  if (section == "features")
    return [](const Group& item, const Group&) { return golden::check_features(item); };
  if (section == "splits") return golden::check_splits;
  return nullptr;
}

struct Count {
  int cases = 0;
  int checked = 0;
  int differ = 0;
};

Outcome outcome_of(const std::string& section, const Group& group, const Group& root) {
  const Check check = check_of(section);
  if (check == nullptr) return {Outcome::Kind::not_compared, "section " + section};
  try {
    return check(group, root);
  } catch (const synelix::Error& error) {
    return {Outcome::Kind::differs, std::string("the library throws: ") + error.what()};
  } catch (const golden::FormatError& error) {
    return {Outcome::Kind::differs, std::string("is no case of this format: ") + error.what()};
  }
}

void check_case(const std::string& section, const Group& group, const Group& root, Count& count) {
  const Outcome outcome = outcome_of(section, group, root);
  ++count.cases;
  const char* verdict = "not compared yet";
  if (outcome.kind != Outcome::Kind::not_compared) {
    ++count.checked;
    verdict = outcome.kind == Outcome::Kind::agrees ? "ok" : "DIFFERS";
    if (outcome.kind == Outcome::Kind::differs) ++count.differ;
  }
  std::printf("%-16s  %s: %s\n", verdict, group.path().c_str(), outcome.text.c_str());
}

int check_file(const char* path) {
  Count count;
  const golden::File file(path);
  for (const std::string& section : file.groups()) {
    const Group group = file.group(section);
    if (!group.datasets().empty()) check_case(section, group, file, count);
    for (const std::string& name : group.groups()) {
      check_case(section, group.group(name), file, count);
    }
  }
  if (count.cases == 0) throw golden::FormatError(std::string(path) + " holds no cases");
  std::printf("%d of %d cases checked, %d differ\n", count.checked, count.cases, count.differ);
  return count.differ == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // this program reports what fails itself
  try {
    const synelix::Session session(argc, argv);
    if (argc != 2) {
      std::fprintf(stderr, "usage: synelix_golden_check FILE\n");
      return 2;
    }
    return check_file(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "synelix_golden_check: %s\n", error.what());
    return 2;
  }
}
