// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/expression.hpp>
#include <synelix/types/glm.hpp>
#include <synelix/types/glm_path.hpp>
#include <synelix/types/glm_score.hpp>
#include <synelix/types/hdf5.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// \file
/// What fit_file.hpp declares, without Kokkos. Programs include fit_file.hpp.

namespace synelix {

/// A path and its cross-validation, for a file: path/strengths, path/coefficients, ... as the
/// members of PathResult, and folds/scores, folds/mean, folds/standard_error.
struct FitPathRecord {
  PathResult path;  ///< the models of all strengths, fitted on all rows
  std::vector<std::int64_t> chosen =
      {};                           ///< (targets): the strength of the model, a row of the path
  std::int64_t folds = 0;           ///< 0: no cross-validation; then the three below are empty
  std::vector<double> scores = {};  ///< (folds, count, targets)
  std::vector<double> mean = {};    ///< (count, targets)
  std::vector<double> standard_error = {};  ///< of `mean`, (count, targets)
  std::string score = {};                   ///< name of the measure: "deviance"
  std::string choose = {};                  ///< name of the rule
};

/// An input of a design, and its channels.
struct InputChannels {
  std::string name;               ///< what messages and the file call the input
  std::vector<std::int64_t> ids;  ///< of each channel, such as the ids of units
};

/// A model, and descriptions of its columns and targets.
struct FitFile {
  FitResult result;         ///< the model
  std::vector<Term> terms;  ///< of the design that the model was fitted on
  /// Text for each basis of the design: `component_texts`.
  std::vector<std::string> components;
  std::vector<std::int64_t> target_ids;  ///< empty: 0, 1, ...
  /// The inputs that the expression consumes, from left to right. Empty: not known, as in files of
  /// older versions.
  std::vector<InputChannels> inputs = {};
  std::optional<double> rate_hz;      ///< rows a second
  std::string penalty;                ///< as text: "ridge:0.001"
  std::optional<FitPathRecord> path;  ///< absent: a fit of one strength; `read_fit` leaves it out
  std::vector<Score> scores = {};     ///< of each target, on the rows of the fit; empty: not known
};

/// Basis, parameters, window, alignment and bounds of each basis: two designs with the same texts
/// and terms have columns of the same meaning.
std::vector<std::string> component_texts(const std::vector<Component>& components);

/// Data that is written in addition to a model.
struct FitProvenance {
  std::vector<Component> components = {};  ///< their taps are written
  std::string design = {};                 ///< text of the design file
  std::vector<InputFile> files = {};       ///< files that were read
};

/// Which answers of walks are stored for a resumed run.
enum class AnswersKept : std::uint8_t {
  cheap,  ///< those whose writing takes at most a tenth of the time of the walk
  all     ///< every one, for any speed of the machine: for tests
};

/// \throws Error if the filters of two terms would have the same name in a file, or one has an
/// empty name. (A slash is written as an underscore.) Call it before a long fit.
void require_filter_names(const std::vector<Term>& terms);

/// How a model is written.
struct FitOutputOptions {
  Existing existing = Existing::refuse;      ///< not append
  Start start = Start::anew;                 ///< `resume` uses the answers in FILE.part
  std::string history = {};                  ///< what made the file: a command line
  Fingerprint fingerprint = {};              ///< what the model depends on. Start::resume needs it.
  AnswersKept answers = AnswersKept::cheap;  ///< which answers of walks are stored in FILE.part
};

/// The file of a model. While a fit runs, the answers of its walks are in FILE.part, each with a
/// checksum. FILE exists only once the model is completely written.
///
/// An answer is stored if that is cheap (`AnswersKept`). A killed process loses the walk that it
/// was in. If the machine stops, answers of the last ten seconds may be lost, too.
class FitOutput final : public AnswerStore {
 public:
  /// \throws Error if FILE exists and may not be replaced, or its folder does not exist; with
  ///         Start::resume, if FILE or FILE.part is of another fit, naming what differs, or
  ///         FILE.part is damaged
  explicit FitOutput(const std::string& file, FitOutputOptions options = {});
  ~FitOutput() override;

  /// With Start::resume: whether FILE exists already, so there is nothing to do.
  [[nodiscard]] bool was_finished() const;
  /// Answers that were found in FILE.part; 0: the fit begins anew.
  [[nodiscard]] std::int64_t resumed_answers() const;

  [[nodiscard]] bool is_worth(double seconds, std::int64_t bytes) const override;
  void keep(const Question& question, std::span<const std::byte> answer) override;
  [[nodiscard]] std::vector<std::byte> find(const Question& question) override;

  /// Writes the model, and renames FILE.part to FILE. \throws Error if that fails, or a file that
  /// was read has changed
  void write(const FitFile& model, const FitProvenance& provenance = {});

 private:
  struct Opened;
  std::unique_ptr<Opened> m_opened;
};

/// Reads a model without its path. \throws Error if the file is not one of a fit, has another
/// version of its format, or is damaged
FitFile read_fit(const std::string& file);

/// \throws Error naming the first difference, if the columns of a design are not those of a model:
/// other terms, channels, bases or parameters
void require_same_design(const FitFile& model, const std::vector<Term>& terms,
                         const std::vector<std::string>& components);

/// \throws Error if the channels of an input have other ids than those of the model, or another
/// order. Inputs may have other names. Checks nothing if the model has no record of its inputs.
void require_same_inputs(const FitFile& model, const std::vector<InputChannels>& inputs);

/// \throws Error if targets have other ids than those of the model, or another order
void require_same_targets(const FitFile& model, const std::vector<std::int64_t>& ids);

}  // namespace synelix
