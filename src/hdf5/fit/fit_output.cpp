// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The file of a model: FILE.part with the answers of passes, then the model in FILE.part.new, which
// is renamed to FILE.part and then to FILE.
#include "hdf5/fit/fit_answers.hpp"
#include "hdf5/fit/model_records.hpp"
#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/h5_file.hpp"
#include "hdf5/objects/known_options.hpp"
#include "hdf5/objects/output_file.hpp"
#include "part_files/records.hpp"
#include "streams/input_files.hpp"

#include <synelix/error.hpp>
#include <synelix/types/fit_file.hpp>

#include <filesystem>
#include <utility>

namespace synelix {

template <>
inline constexpr std::string_view value_names<AnswersKept>[] { "cheap", "all" };

namespace {

/// Storing an answer takes at most this share of the time that computing it took.
constexpr double most_share = 0.1;
/// Seconds for a record, and for each of its bytes, on a slow disk.
constexpr double seconds_of_record = 1e-5;
constexpr double seconds_of_byte = 2e-9;

/// Returns the name of the file. A model has its own file, so nothing may be appended to another
/// one.
/// \throws Error if FILE exists and may not be replaced
std::string free_name(const std::string& name, Existing existing) {
  std::error_code status;
  if (existing == Existing::refuse && std::filesystem::is_regular_file(name, status)) {
    throw FileError(name, "this is an existing file",
                    "Give a new name, or replace the file (--overwrite, -O; Existing::replace)",
                    Remedy::replace_file);
  }
  return name;
}

}  // namespace

struct FitOutput::Opened {
  Opened(const std::string& name, FitOutputOptions chosen)
      : file({chosen.start == Start::resume ? name : free_name(name, chosen.existing),
              "/coefficients"},
             chosen.existing, chosen.start),
        options(std::move(chosen)) {}

  /// Whether FILE already has the model. \throws Error if it has another one
  [[nodiscard]] bool is_there() const {
    const h5::Call call;
    const std::string& name = file.path().file;
    if (!stream::file_exists(name)) return false;
    std::optional<std::string> found;
    try {
      const h5::SourceFile opened = h5::open_file(name);
      const h5::Object root = h5::open_object(opened, "/");
      found = h5::read_text(root.id(), "fingerprint");
    } catch (const Error&) {
      found.reset();
    }
    const Fingerprint there = h5::fingerprint_from(found.value_or(""));
    if (found && h5::text_of(there) == h5::text_of(options.fingerprint)) return true;
    if (options.existing == Existing::replace) return false;
    h5::require_same(name, there, options.fingerprint,
                     "Give a new name, or -O to replace the file");
    return false;
  }

  /// Creates FILE.part, or takes over the FILE.part of an interrupted run.
  void begin() {
    const std::string text = h5::text_of(options.fingerprint);
    if (options.start == Start::resume && file.take()) {
      h5::FitAnswers found(file.descriptor(), file.part(), text);
      try {
        if (found.take()) {
          resumed = found.count();
          answers.emplace(std::move(found));
          return;
        }
      } catch (...) {
        file.keep_part();
        throw;
      }
    }
    file.open();
    file.close_file();
    answers.emplace(file.descriptor(), file.part(), text);
    answers->begin();
  }

  /// The answers of an unfinished fit. \throws StateError after `write` has closed them
  [[nodiscard]] h5::FitAnswers& open_answers() {
    if (!answers) {
      throw StateError("answers", "this output is closed, so that no answer is kept or found",
                       "Give the fit another FitOutput");
    }
    return *answers;
  }

  h5::OutputFile file;
  FitOutputOptions options;
  std::optional<h5::FitAnswers> answers;
  std::int64_t resumed = 0;
  bool is_finished = false;
};

FitOutput::FitOutput(const std::string& file, FitOutputOptions options) {
  require_known("existing", options.existing);
  require_known("answers", options.answers);
  if (options.existing == Existing::append) {
    throw Error("existing", "a model is a file of its own", "Give refuse or replace");
  }
  if (options.start == Start::resume && options.fingerprint.empty()) {
    throw Error("fingerprint", "this fit comes without one", "Set it, or start anew");
  }
  m_opened = std::make_unique<Opened>(file, std::move(options));
  Opened& opened = *m_opened;
  if (opened.options.start == Start::resume) {
    opened.is_finished = opened.is_there();
    if (opened.is_finished) {
      opened.file.remove_second_name();
      return;
    }
    static_cast<void>(free_name(file, opened.options.existing));
  }
  opened.begin();
}

/// Keeps the answers of an unfinished fit; if there are none, there is nothing to resume.
FitOutput::~FitOutput() {
  if (!m_opened || m_opened->is_finished || !m_opened->answers) return;
  if (m_opened->answers->count() > 0) m_opened->file.keep_part();
}

bool FitOutput::was_finished() const { return m_opened->is_finished; }

std::int64_t FitOutput::resumed_answers() const { return m_opened->resumed; }

bool FitOutput::is_worth(double seconds, std::int64_t bytes) const {
  if (m_opened->options.answers == AnswersKept::all) return true;
  return seconds_of_record + seconds_of_byte * static_cast<double>(bytes) <= most_share * seconds;
}

void FitOutput::keep(const Question& question, std::span<const std::byte> answer) {
  m_opened->file.require_whole();
  m_opened->open_answers().keep(question, answer);
}

std::vector<std::byte> FitOutput::find(const Question& question) {
  return m_opened->open_answers().find(question);
}

void FitOutput::write(const FitFile& model, const FitProvenance& provenance) {
  Opened& opened = *m_opened;
  const std::string& output = opened.file.path().file;
  stream::require_apart(output, provenance.files, "Give another file");
  stream::require_unchanged(provenance.files);
  const h5::Call call;
  opened.file.require_whole();
  stream::Descriptor taken;
  try {
    taken = opened.file.open_anew();
    h5::write_model(opened.file, model, provenance, opened.options);
    opened.file.flush();
  } catch (...) {
    opened.file.abandon();  // removes FILE.part.new; FILE.part stays if it has answers
    taken.close_now();
    if (opened.answers->count() == 0) {
      stream::PartFile(output + ".part", output).remove_left_over();
    }
    opened.answers.reset();
    throw;
  }
  opened.answers.reset();
  opened.file.settle();
  opened.file.commit();
  opened.is_finished = true;
}

}  // namespace synelix
