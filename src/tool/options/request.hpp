// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_file.hpp"
#include "tool/options/values.hpp"

#include <synelix/basis.hpp>
#include <synelix/choice.hpp>
#include <synelix/devices.hpp>
#include <synelix/loss.hpp>
#include <synelix/types/glm_path.hpp>
#include <synelix/types/hdf5.hpp>
#include <synelix/types/nwb.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// \file
/// Requests: one structure for each command, filled by the command line and read by the command.

namespace synelix::tool {

/// The form in which a run shows its progress.
enum class ProgressStyle : std::uint8_t { automatic, bar, lines, json, none };

/// The type in which features are computed and written.
enum class OutputType : std::uint8_t { float32, float64 };

/// A line of --list: the input and the output of one run of the command.
struct ListLine {
  std::int64_t number = 0;  ///< in its file, starting at 1
  DatasetPath input;        ///< for `features`, the design
  DatasetPath output;

  /// "line 3 (in.h5:/x)".
  [[nodiscard]] std::string name() const {
    return "line " + std::to_string(number) + " (" + input.text() + ")";
  }
};

/// The runs of a --list.
struct RecordingList {
  std::string file;  ///< "-": standard input
  std::vector<ListLine> lines;

  [[nodiscard]] std::string name() const { return file == "-" ? "standard input" : file; }
};

/// The selection of messages.
struct Messages {
  bool json = false;   ///< the result as JSON on stdout
  bool quiet = false;  ///< only errors, and warnings of dropped data, on stderr
  ProgressStyle progress = ProgressStyle::automatic;
  std::optional<ListLine> line = {};  ///< the line of the list for this run
};

/// The trust in files that are read. Only the command line can set it, because a design or a file
/// of options may come from elsewhere, too.
struct Trust {
  bool follow_links = false;   ///< to files outside of the folder of the named one
  bool allow_plugins = false;  ///< filters that HDF5 loads from folders
};

/// The source of the filters: a basis and a window, or a file.
struct BankSource {
  std::optional<Basis> basis;
  std::optional<Duration> window;
  std::optional<DatasetPath> file;
};

/// The spike trains or events of an NWB file to read, and how they are binned.
struct UnitsSource {
  double bin_seconds = 0;
  std::vector<std::string> tables;  ///< empty: /units
  std::vector<std::int64_t> ids;
  std::vector<ColumnValue> where;
  bool only_observed = false;               ///< only rows of times at which all of them were
                                            ///< observed
  std::optional<double> from_seconds = {};  ///< the beginning of bins without intervals
};

/// The meaning of rows of a table of intervals.
struct IntervalRules {
  IntervalStop stop = IntervalStop::included;
  IntervalsOptions rows = {};
};

/// The intervals of time to read.
struct IntervalsSource {
  DatasetPath table;  ///< without a file: of the input; for a design, of its first input
  std::vector<ColumnValue> where;
  IntervalRules rules = {};
};

/// The processors that compute.
struct Processors {
  DeviceWish device;
  std::optional<int> threads;  ///< of the host; absent: the number that the environment allots
};

/// The destination and form of features.
struct FeaturesOutput {
  std::optional<RecordingList> list;  ///< replaces input and output
  DatasetPath output;                 ///< empty file: none given (dry run)
  OutputType type = OutputType::float32;
  std::vector<std::int64_t> chunk;  ///< rows, channels, bases, or rows, columns; empty: chosen
  ChunkFilter filter;
  Existing existing = Existing::refuse;
  bool resume = false;  ///< continues where the previous run stopped
  std::optional<PartWish> part;
  std::string facts;  ///< a file that a dry run with --save wrote; empty: none
  std::string save;   ///< the file of --save; empty: none
  bool dry_run = false;
};

/// `synelix convolve`, and `synelix plan`, which is its dry run.
struct ConvolveRequest : FeaturesOutput {
  DatasetPath input;
  std::optional<UnitsSource> units;  ///< absent: the input is an array
  BankSource bank;
  ConvolveOptions options;
  std::string machine;  ///< a file of `calibrate`, or "default"; empty: the user's file
  InstructionSet instruction_set = InstructionSet::automatic;
  Processors processors;
  std::optional<DatasetPath> epochs;
  std::optional<IntervalsSource> intervals;
  IntervalStop interval_stop = IntervalStop::included;  ///< of intervals, and of observation
  std::optional<IndexRange> channels;
  std::optional<std::int64_t> time_axis;  ///< absent: according to the file
  std::optional<TimeRange> time;
  std::optional<double> scale;
  std::optional<double> offset;
  Trust trust;
  std::string config;   ///< the file of --config; empty: none
  bool strict = false;  ///< dropped spikes are an error
  Messages messages;
};

/// The stored type of counts.
enum class CountsType : std::uint8_t { uint8, uint16, float32 };

/// `synelix counts`: the spike trains that `convolve` would read, with the same options.
struct CountsRequest : ConvolveRequest {
  std::optional<CountsType> type_of_counts;  ///< absent: the first type that can store the largest
                                             ///< count
};

/// The common part of commands that read a design: the design, the rows to use, and how its columns
/// are computed.
struct DesignRequest {
  std::string design;  ///< its file
  ConvolveOptions options;
  std::string machine;  ///< as for `convolve`
  InstructionSet instruction_set = InstructionSet::automatic;
  Processors processors;
  std::optional<TimeRange> time;
  std::optional<DatasetPath> epochs;
  std::optional<IntervalsSource> intervals;
  IntervalRules interval_rules;        ///< of `intervals`
  std::optional<double> from_seconds;  ///< the beginning of bins of spike trains without intervals
  std::vector<ColumnValue> where;      ///< on the columns of the table of intervals
  std::vector<std::string> given;      ///< options on the command line, which override the design's
  Trust trust;
  std::string config;   ///< the file of --config; empty: none
  bool strict = false;  ///< dropped spikes are an error; for `fit`, also targets that do not
                        ///< converge
  Messages messages;
};

/// `synelix features`.
struct FeaturesRequest : DesignRequest, FeaturesOutput {};

/// "ridge:1e-3": a penalty and its numbers. Without a strength, a path has its own strengths.
struct PenaltyWords {
  enum class Kind : std::uint8_t { none, ridge, lasso, elastic_net, group_lasso };
  Kind kind = Kind::none;
  std::optional<double> strength;
  double ratio = 0.5;  ///< of elastic_net

  [[nodiscard]] std::string text() const;
};

/// The options of a fit.
struct FitSettings {
  Loss loss;
  bool estimates_dispersion = false;
  PenaltyWords penalty;
  Solver solver = Solver::automatic;
  bool has_intercept = true;
  bool wants_errors = false;
  std::optional<DatasetPath> mask;
  std::int64_t strengths = 0;  ///< of the path; 0: no path
  double path_ratio = 0;       ///< ratio of the weakest to the strongest strength of a path; 0: by
                               ///< penalty
  std::int64_t folds = 0;      ///< of cross-validation; 0: none
  std::int64_t gap = 0;        ///< rows on either side of a fold that training omits
  Choose choice = Choose::best;
  double tolerance = 1e-6;
  std::int64_t most_evaluations = 500;
};

/// `synelix fit`.
struct FitRequest : DesignRequest {
  std::string output;                 ///< a file; empty: none given (dry run)
  std::optional<DesignInput> target;  ///< absent: the design's
  FitSettings fit;
  Existing existing = Existing::refuse;
  bool resume = false;
  bool dry_run = false;
};

/// `synelix predict`.
struct PredictRequest : DesignRequest {
  std::string model;  ///< a file that `fit` wrote
  DatasetPath output;
  OutputType type = OutputType::float64;
  Existing existing = Existing::refuse;
};

/// `synelix score`.
struct ScoreRequest : DesignRequest {
  std::string model;                  ///< a file that `fit` wrote
  std::optional<DesignInput> target;  ///< absent: the design's
  bool wants_time_rescaling = false;
  std::int64_t seed = 0;  ///< for the places of events inside their bins
};

/// `synelix basis`.
struct BasisRequest {
  BankSource bank;
  DatasetPath output;  ///< empty file: CSV or JSON on stdout
  Existing existing = Existing::refuse;
  std::string config;  ///< the file of --config; empty: none
  Messages messages;
};

/// `synelix simulate`.
struct SimulateRequest {
  DatasetPath output;
  std::int64_t samples = 0;
  std::int64_t channels = 0;
  std::int64_t seed = 0;
  double rate_hz = 5;
  double bin_seconds = 1e-3;
  Existing existing = Existing::refuse;
  std::string config;  ///< the file of --config; empty: none
  Messages messages;
};

/// `synelix join`.
struct JoinRequest {
  DatasetPath output;
  std::vector<std::string> parts;  ///< files; empty: the part files beside the output
  Existing existing = Existing::refuse;
  bool remove_parts = false;
  Messages messages;
};

/// `synelix calibrate`.
struct CalibrateRequest {
  std::string output;  ///< empty: the user's machine.json
  InstructionSet instruction_set = InstructionSet::automatic;
  Processors processors;
  Messages messages;
};

/// `synelix info`.
struct InfoRequest {
  DatasetPath input;  ///< empty file: describes this build
  Trust trust;
  Messages messages;
};

/// A file that a run reads, other than its samples.
struct ReadFile {
  DatasetPath path;    ///< without a dataset: the file is text
  std::string what;    ///< "taps"
  std::string option;  ///< that names it: "--bank"
};

/// The files that options of a request name.
template <class Request>
std::vector<ReadFile> files_of_options(const Request& request) {
  std::vector<ReadFile> files;
  const auto add = [&](const DatasetPath& path, const char* what, const char* option) {
    if (!path.file.empty()) files.push_back({path, what, option});
  };
  if constexpr (requires { request.bank.file; }) {
    if (request.bank.file) add(*request.bank.file, "taps", "--bank");
  }
  if constexpr (requires { request.epochs; }) {
    if (request.epochs) add(*request.epochs, "epochs", "--epochs");
    if (request.intervals) add(request.intervals->table, "intervals", "--intervals");
    if (request.machine != "default") add({request.machine, {}}, "the machine", "--machine");
  }
  add({request.config, {}}, "options", "--config");
  return files;
}

using Request = std::variant<ConvolveRequest, CountsRequest, FeaturesRequest, FitRequest,
                             PredictRequest, ScoreRequest, BasisRequest, SimulateRequest,
                             JoinRequest, CalibrateRequest, InfoRequest>;

}  // namespace synelix::tool
