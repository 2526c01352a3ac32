// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// synelix_operator_check FILE [CASE]: compares the library's operators with numbers that were
// derived without it, as double and as float. The format of files is described in
// make_operators.py. Lines and exit status are those of golden/check_program.hpp; "within" is the
// largest difference, relative to the sum of the sizes of the terms.

#include "golden/check_program.hpp"
#include "golden/operators/operator_conv.hpp"
#include "golden/operators/operator_matmul.hpp"

#include <string>

namespace {

using golden::Group;

golden::Check check_of(const std::string& section) {
  if (section == "conv") {
    return [](const Group& item, const Group&) { return golden::check_conv_operator(item); };
  }
  if (section == "matmul") {
    return [](const Group& item, const Group&) { return golden::check_matmul(item); };
  }
  return nullptr;
}

}  // namespace

int main(int argc, char* argv[]) {
  return golden::run_checks(argc, argv, "synelix_operator_check", check_of);
}
