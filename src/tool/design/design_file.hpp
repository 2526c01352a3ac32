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
/// A design: the inputs, bases and terms of a design file. All faults that can be found without
/// opening another file are found while reading, and are Errors that begin with FILE:LINE.

namespace synelix::tool {

/// An entry of [options] or [fit]: an option of the command. The command line takes precedence.
struct DesignOption {
  std::string name;   ///< "budget"
  std::string text;   ///< "512MiB"; empty for a flag
  std::string place;  ///< "design.toml:3: [options] budget"
  std::optional<bool> flag = {};
};

/// An array in a file.
struct ArrayInput {
  DatasetPath data;  ///< its file relative to the current folder
  std::optional<IndexRange> channels;
  std::optional<std::int64_t> time_axis;  ///< absent: according to the file
  std::optional<double> scale;
  std::optional<double> offset;
  std::optional<double> rate_hz;  ///< if the file has none
};

/// Spike trains or events of an NWB file.
struct SpikeInput {
  std::string file;                   ///< relative to the current folder
  std::vector<std::string> tables;    ///< empty: /units
  bool is_events = false;             ///< whether they are columns of times
  std::optional<double> bin_seconds;  ///< absent: the width of the arrays of the design
  std::vector<std::int64_t> ids;
  std::vector<ColumnValue> where;
};

struct DesignInput {
  std::string name;
  std::string place;  ///< "design.toml:5: [inputs.spikes]"
  std::variant<ArrayInput, SpikeInput> from;

  /// The file that contains it.
  [[nodiscard]] const std::string& file() const {
    const auto* array = std::get_if<ArrayInput>(&from);
    return array != nullptr ? array->data.file : std::get<SpikeInput>(from).file;
  }
  /// FILE:/dataset, or FILE of spike trains.
  [[nodiscard]] std::string text() const;
};

/// How a basis uses an input.
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
  std::optional<DatasetPath> bank;                ///< of conv: the user's taps
  std::optional<Causality> causality;             ///< of conv; absent: the value of the options
  std::optional<bool> shift;                      ///< of conv; absent: the value of the options
  std::vector<std::pair<double, double>> bounds;  ///< one for each dimension; empty: the range of
                                                  ///< the data
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
  std::string text;  ///< the text of the file
  /// Only the inputs, bases and terms, without blanks and comments: the part that columns depend
  /// on.
  std::string columns_text;
  std::vector<DesignOption> options;
  std::vector<DesignOption> fit;      ///< entries of [fit] except the target
  std::optional<DesignInput> target;  ///< of [fit]
  std::vector<DesignInput> inputs;
  std::vector<DesignBasis> bases;
  std::vector<DesignTerm> terms;
};

/// Runs a call, and prepends a place of the design to its Errors.
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

/// Reads the text of a design. `file` is for messages; relative names of files are relative to its
/// folder.
DesignFile parse_design(std::string_view text, const std::string& file);

/// Reads a design file.
DesignFile read_design(const std::string& file);

DesignBasis basis_from(const Section& table, const std::string& name);

/// The name, relative to the current folder, of a file given in the design `design`.
std::string beside(const std::string& design, const std::string& file);

}  // namespace synelix::tool
