// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Bytes as a design file.
#include "tool/design/design_file.hpp"

#include <synelix/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

namespace tool = synelix::tool;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// The indices of inputs and bases are in range.
void check_node(const tool::DesignFile& design, const tool::DesignNode& node) {
  if (node.kind == tool::DesignNode::Kind::atom) {
    require(!node.inputs.empty() && node.parts.empty(), "an atom without an input, or with parts");
    for (const std::size_t input : node.inputs) require(input < design.inputs.size(), "no input");
    require(node.basis < design.bases.size(), "no basis");
    return;
  }
  require(!node.parts.empty(), "a sum or product of nothing");
  for (const tool::DesignNode& part : node.parts) check_node(design, part);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const tool::DesignFile design = tool::parse_design(text, "design.toml");
    require(!design.terms.empty(), "a design without a term");
    for (const tool::DesignTerm& term : design.terms) check_node(design, term.node);
    for (const tool::DesignBasis& basis : design.bases) {
      for (const auto& [low, high] : basis.bounds) require(low < high, "empty bounds");
    }
  } catch (const synelix::Error& error) {
    require(std::string_view(error.what()).substr(0, 11) == "design.toml",
            "an Error that does not say where");
  }
  return 0;
}
