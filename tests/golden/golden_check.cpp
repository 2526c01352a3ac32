// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// synelix_golden_check FILE [CASE]: compares the library with numbers that were derived without it.
// Lines and exit status are those of golden/check_program.hpp.

#include "golden/check_program.hpp"
#include "golden/golden_bases.hpp"
#include "golden/golden_conv.hpp"
#include "golden/golden_eval.hpp"
#include "golden/golden_features.hpp"
#include "golden/golden_file.hpp"

#include <string>

namespace {

using golden::Group;

golden::Check check_of(const std::string& section) {
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

}  // namespace

int main(int argc, char* argv[]) {
  return golden::run_checks(argc, argv, "synelix_golden_check", check_of);
}
