// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/toml_tree.hpp"
#include "tool/options/basis_names.hpp"
#include "tool/options/values.hpp"

#include <synelix/alignment.hpp>
#include <synelix/error.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// \file
/// A design: inputs, bases and terms as they stand in a design file. Everything that can be wrong
/// without opening another file is found while reading, and is an Error that begins with FILE:LINE.

namespace synelix::tool {

/// An entry of [options] or [fit]: an option of the command, whose command line wins.
struct DesignOption {
  std::string name;   ///< "budget"
  std::string text;   ///< "512MiB"; empty for a flag
  std::string place;  ///< "design.toml:3: [options] budget"
  std::optional<bool> flag = {};
};

/// An array in a file.
struct ArrayInput {
  DatasetPath data;  ///< its file as seen from the current folder
  std::optional<IndexRange> channels;
  std::optional<std::int64_t> time_axis;  ///< absent: as the file says
  std::optional<double> scale;
  std::optional<double> offset;
  std::optional<double> rate_hz;  ///< where the file has none
};

/// Spike trains or events of an NWB file.
struct SpikeInput {
  std::string file;                   ///< as seen from the current folder
  std::vector<std::string> tables;    ///< empty: /units
  bool is_events = false;             ///< whether they are columns of times
  std::optional<double> bin_seconds;  ///< absent: that of the arrays of the design
  std::vector<std::int64_t> ids;
  std::vector<ColumnValue> where;
};

struct DesignInput {
  std::string name;
  std::string place;  ///< "design.toml:5: [inputs.spikes]"
  std::variant<ArrayInput, SpikeInput> from;
};

/// What a basis does with an input.
enum class BasisMode : std::uint8_t {
  conv,      ///< filters over a window
  eval,      ///< its functions at each sample
  identity,  ///< the sample itself
  fourier,   ///< cosines and sines of the sample, in one or several dimensions
  zero       ///< no column
};

struct DesignBasis {
  std::string name;
  std::string place;
  BasisMode mode = BasisMode::conv;
  BasisParameters parameters;                     ///< of conv without a bank, and of eval
  std::optional<Duration> window;                 ///< of conv without a bank
  std::optional<DatasetPath> bank;                ///< of conv: taps of the user's own
  std::optional<Causality> causality;             ///< of conv; absent: that of the options
  std::optional<bool> shift;                      ///< of conv; absent: that of the options
  std::vector<std::pair<double, double>> bounds;  ///< one for each dimension; empty: the data's
  double fill = std::numeric_limits<double>::quiet_NaN();  ///< outside the bounds
  std::vector<std::vector<std::int64_t>> frequencies;      ///< of fourier: for each dimension
  bool keeps_constant = false;  ///< of fourier: whether the cosine of frequency 0 is a column
};

/// A term, or a factor or summand of one.
struct DesignNode {
  enum class Kind : std::uint8_t { atom, sum, product };
  Kind kind = Kind::atom;
  std::string place;
  std::vector<std::size_t> inputs;  ///< of an atom: numbers of inputs, one for each dimension
  std::size_t basis = 0;            ///< of an atom
  std::vector<DesignNode> parts;    ///< of a sum or a product
};

struct DesignTerm {
  std::string name;
  DesignNode node;
};

struct DesignFile {
  std::string file;
  std::string text;  ///< what it was read from
  /// Inputs, bases and terms alone, without blanks and comments: what columns depend on.
  std::string columns_text;
  std::vector<DesignOption> options;
  std::vector<DesignOption> fit;      ///< entries of [fit] but the target
  std::optional<DesignInput> target;  ///< of [fit]
  std::vector<DesignInput> inputs;
  std::vector<DesignBasis> bases;
  std::vector<DesignTerm> terms;
};

/// Runs what throws Error, with a place of the design before what is wrong.
template <class Call>
auto placed(const std::string& place, const Call& call) {
  std::string message;
  try {
    return call();
  } catch (const Error& error) {
    message = error.what();
  }
  throw Error(place + ": " + message);
}

/// Reads the text of a design. `file` is for messages, and its folder is where relative names of
/// files begin.
DesignFile parse_design(std::string_view text, const std::string& file);

/// Reads a design file.
DesignFile read_design(const std::string& file);

DesignBasis basis_from(const Section& table, const std::string& name);

/// A file's name as seen from the current folder, where it stands in the design `design`.
std::string beside(const std::string& design, const std::string& file);

}  // namespace synelix::tool
