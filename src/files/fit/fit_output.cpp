// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The file of a model: FILE.part with the state of the fit, then the model in FILE.part.new, which
// takes the names FILE.part and FILE.
#include "files/fit/fit_state.hpp"
#include "files/fit/model_records.hpp"
#include "files/hdf5/h5_attributes.hpp"
#include "files/hdf5/h5_file.hpp"
#include "files/hdf5/known_options.hpp"
#include "files/part/output_file.hpp"
#include "files/sink/fingerprint_text.hpp"
#include "streams/input_files.hpp"

#include <synelix/error.hpp>
#include <synelix/fit_file.hpp>

#include <chrono>
#include <filesystem>
#include <utility>

namespace synelix {
namespace {

using Clock = std::chrono::steady_clock;

/// Saving takes at most this part of the time.
constexpr double most_share = 0.1;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

struct FitOutput::Opened {
  Opened(const std::string& name, FitOutputOptions chosen)
      : file({name, "/coefficients"}, chosen.existing, chosen.start), options(std::move(chosen)) {}

  /// Whether FILE holds the model already. \throws Error where it holds another
  [[nodiscard]] bool is_there() const {
    const h5::Call call;
    const std::string& name = file.path().file;
    std::error_code status;
    if (!std::filesystem::exists(name, status)) return false;
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

  /// Begins FILE.part, or takes what a run has left.
  void begin() {
    const std::string text = h5::text_of(options.fingerprint);
    if (options.start == Start::resume && file.take()) {
      h5::FitState found(file.descriptor(), file.part(), text);
      try {
        if (found.find()) {
          state.emplace(std::move(found));
          return;
        }
      } catch (...) {
        file.keep_part();
        throw;
      }
    }
    file.open();
    file.close_file();
    state.emplace(file.descriptor(), file.part(), text);
  }

  h5::OutputFile file;
  FitOutputOptions options;
  std::optional<h5::FitState> state;
  std::int64_t resumed_bytes = 0;
  bool is_finished = false;
  bool has_saved = false;  ///< in this run
  double save_seconds = 0;
  Clock::time_point saved = Clock::now();
};

FitOutput::FitOutput(const std::string& file, FitOutputOptions options) {
  require_known("existing", options.existing);
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
    opened.file.require_free();
  }
  opened.begin();
  opened.resumed_bytes = opened.state->bytes();
}

/// What an unfinished fit has saved stays; without a state there is nothing to go on with.
FitOutput::~FitOutput() {
  if (!m_opened || m_opened->is_finished || !m_opened->state) return;
  if (m_opened->state->bytes() > 0) m_opened->file.keep_part();
}

bool FitOutput::was_finished() const { return m_opened->is_finished; }

std::int64_t FitOutput::resumed_bytes() const { return m_opened->resumed_bytes; }

bool FitOutput::is_due() const {
  const Opened& opened = *m_opened;
  return !opened.has_saved || seconds_since(opened.saved) * most_share >= opened.save_seconds;
}

void FitOutput::save(std::span<const std::byte> state) {
  Opened& opened = *m_opened;
  const Clock::time_point start = Clock::now();
  opened.file.require_whole();
  opened.state->save(state);
  opened.saved = Clock::now();
  opened.save_seconds = seconds_since(start);
  opened.has_saved = true;
}

std::vector<std::byte> FitOutput::load() { return m_opened->state->load(); }

void FitOutput::write(const FitFile& model, const FitProvenance& provenance) {
  Opened& opened = *m_opened;
  const std::string& output = opened.file.path().file;
  stream::require_apart(output, provenance.files, "Give another file");
  stream::require_unchanged(provenance.files);
  const h5::Call call;
  opened.file.require_whole();
  stream::Descriptor taken = opened.file.open_anew();
  try {
    h5::write_model(opened.file, model, provenance, opened.options);
    h5::check(H5Fflush(opened.file.file().id(), H5F_SCOPE_GLOBAL), opened.file.failing());
  } catch (...) {
    opened.file.abandon();  // FILE.part.new goes, and FILE.part stays where it has a state
    taken.close_now();
    if (opened.state->bytes() == 0) {
      stream::PartFile(output + ".part", output).remove_left_over();
    }
    opened.state.reset();
    throw;
  }
  opened.state.reset();
  opened.file.settle();
  opened.file.commit();
  opened.is_finished = true;
}

}  // namespace synelix
