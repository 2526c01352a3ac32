// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/feature_datasets.hpp"
#include "hdf5/objects/output_file.hpp"
#include "hdf5/shares/ledger.hpp"
#include "part_files/part_file.hpp"

#include <synelix/types/hdf5.hpp>
#include <synelix/types/stream.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// \file
/// `PartsOutput`: one part of an output that several processes write into one FILE.part.

namespace synelix::stream {

class PartsOutput {
 public:
  /// Facts about the output that a process needs.
  struct Wanted {
    FeaturesDescription description;
    std::string text_of_datasets;    ///< fingerprint, an attribute of the features
    Fingerprint of_part;             ///< the facts on which processes have to agree
    std::function<bool()> is_there;  ///< whether FILE is finished
  };

  /// \param file  makes FILE.part if it does not exist
  PartsOutput(h5::OutputFile& file, Hdf5OutputOptions options, OutputPart part);

  /// Makes FILE.part or joins the processes that write it, and takes the shares of the part. False
  /// if FILE is finished. \throws Error if another process has one of the shares, or writes another
  /// output
  bool begin(Wanted wanted);
  [[nodiscard]] Unwritten unwritten() const;
  void write(const Block& block, const void* values);
  /// Records that the part is done, and gives the file its final name if all parts are done.
  void finish();
  /// Memory for a number of shares, of which a part writes some.
  [[nodiscard]] static std::int64_t memory_of(const Shares& shares, const OutputPart& part);
  /// Records why the part is not done: the exception that is being handled.
  void abandon() noexcept;
  [[nodiscard]] const std::optional<PartsDescription>& missing() const { return m_missing; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Share {
    std::int64_t number;
    Block all;
    ShareState state;
    bool is_noted = true;      ///< on the disk
    bool is_written = false;   ///< by this process, at least partly
    bool is_finished = false;  ///< by an earlier process
  };

  /// The result of a check of FILE.part.
  enum class Joined : std::uint8_t {
    yes,    ///< this process has its shares
    again,  ///< another process gives it its final name, or has done so: check again
    whole   ///< FILE is complete, even if this machine does not see its name yet
  };

  [[nodiscard]] std::string name() const;
  [[nodiscard]] Range numbers() const;
  void make();
  bool wait_for_maker();
  Joined join();
  [[nodiscard]] bool was_published_now() const;
  [[nodiscard]] bool has_sound_frame() const;
  void require_frame() const;
  Joined take_shares();
  [[nodiscard]] bool lock_shares();
  [[noreturn]] void refuse_share() const;
  void take_over_all();
  [[nodiscard]] bool take_over(Share& share);
  [[nodiscard]] bool is_sound(const Share& share) const;
  [[nodiscard]] bool is_published() const;
  [[nodiscard]] bool are_all_finished() const;
  void publish();
  void require_sound_shares();
  Joined publish_whole();
  /// Correct times are not written again: another part may already have given the file its final
  /// name, and a reader would see a change.
  enum class Times : std::uint8_t { all, where_wrong };
  /// Returns whether it wrote any.
  bool put_times(Range rows, Times which) const;  // NOLINT(modernize-use-nodiscard): not all ask
  void note(Share& share);
  void note_on_disk();
  void forget(bool (*is_doubtful)(const Share&)) noexcept;
  static ShareStatus status_of_this(Ending ending, const std::string& failure = {});
  void write_status(Ending ending, const std::string& failure = {});
  void try_to_write_status(Ending ending, const std::string& failure = {}) noexcept;
  [[nodiscard]] std::int64_t value_bytes() const;

  h5::OutputFile& m_file;
  Hdf5OutputOptions m_options;
  OutputPart m_part;
  Wanted m_wanted;
  PartFile m_joined;
  std::optional<Ledger> m_ledger;
  std::vector<Share> m_mine;
  Clock::time_point m_on_disk;
  bool m_has_lost = false;   ///< unsaved data are lost: a sync to the disk failed
  bool m_has_ended = false;  ///< whether the end of this part is recorded
  int m_makers_missed = 0;
  std::optional<PartsDescription> m_missing;
};

/// The state of each share in a ledger.
PartsDescription described(const Ledger& ledger, const std::string& file);

}  // namespace synelix::stream
