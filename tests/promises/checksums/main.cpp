// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// synelix_checksums: checksums over the bits of results of random cases, through the public API.
//
//     synelix_checksums [--set NAME] [--only TEXT]
//
// The first line is "set NAME". Each further line is "KIND CASES CHECKSUM NUMBERS", where NUMBERS
// says what the values are made of: arithmetic, or functions of the C library or LAPACK too. The
// output is the same for every number of threads and every run. Without --set, the program takes
// the widest set that the build and the processor have. Its exit code is 77 if the build or the
// processor does not have the set, and 1 for any other error.

#include "kind.hpp"

#include <synelix/error.hpp>
#include <synelix/matmul.hpp>
#include <synelix/session.hpp>

#include <Kokkos_Core.hpp>

#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using checksums::Exec;
namespace sx = synelix;

sx::InstructionSet set_of(const std::string& name) {
  std::string known;
  for (int i = 0; i < 256; ++i) {
    const auto set = static_cast<sx::InstructionSet>(i);
    const std::string found = sx::name_of(set);
    if (found == "unknown") break;
    if (found == name) return set;
    known += (known.empty() ? "" : ", ") + found;
  }
  throw std::runtime_error("--set: '" + name + "' is not an instruction set; use one of " + known);
}

/// The set that a call would use.
sx::InstructionSet chosen_set(sx::InstructionSet wish) {
  const float value = 1;
  float result = 0;
  sx::MatmulOptions options;
  options.machine.instruction_set = wish;
  options.multiplier = sx::Multiplier::tiles;
  return sx::choose_matmul(Exec(), sx::Strided(&value, {1, 1}), sx::Strided(&value, {1, 1}),
                           sx::StridedOutput(&result, {1, 1}), options)
      .instruction_set;
}

int run(int argc, char** argv) {
  const sx::Session session;
  std::string name = sx::name_of(sx::InstructionSet::automatic);
  std::string only;
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    if ((option != "--set" && option != "--only") || i + 1 == argc) {
      throw std::runtime_error("usage: synelix_checksums [--set NAME] [--only TEXT]");
    }
    (option == "--set" ? name : only) = argv[i + 1];
  }
  const sx::InstructionSet wish = set_of(name);
  sx::InstructionSet set = wish;
  try {
    set = chosen_set(wish);
  } catch (const sx::Error& error) {
    // Only this option reports a missing set. Any other error is one of the library.
    if (!std::string_view(error.what()).starts_with("machine.instruction_set:")) throw;
    std::cerr << error.what() << '\n';
    return 77;
  }
  std::cout << "set " << sx::name_of(set) << std::endl;
  checksums::Runner runner(set, only, std::cout);
  checksums::run_bases(runner);
  checksums::run_convolutions(runner);
  checksums::run_designs(runner);
  checksums::run_products(runner);
  checksums::run_operators(runner);
  checksums::run_streams(runner);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "synelix_checksums: " << error.what() << '\n';
    return 1;
  }
}
