// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/process/shared_file.hpp"
#include "tool/run/output.hpp"
#include "tool/run/part_facts.hpp"

#include <optional>
#include <string>
#include <utility>

/// \file
/// `SharedFacts`: OUT.part.facts, which the first part of an output makes and the others read.

namespace synelix::tool {

/// The facts of the run to which this process belongs as a part. The first process finds and stores
/// them; the others wait for it, and use them. A run without parts shares nothing.
class SharedFacts {
 public:
  /// Reads the facts, or waits for the process that finds them, or becomes that process. If
  /// OUT.part exists without facts, or OUT is finished, this process finds them only for itself.
  /// \param follows_from  what the facts depend on
  /// \throws Error if the file is damaged or belongs to another program, or if its facts are of
  ///         other inputs or options and a part of the output exists
  SharedFacts(const OutputRequest& output, const Fingerprint& follows_from,
              const Messages& messages);
  SharedFacts(const SharedFacts&) = delete;
  SharedFacts& operator=(const SharedFacts&) = delete;
  /// If no part of the output exists, removes the file that this process has stored.
  ~SharedFacts();

  /// The output of the facts.
  [[nodiscard]] const OutputRequest& output() const { return m_output; }
  /// The facts of another process; null: this process has to find them.
  [[nodiscard]] const PartFacts* known() const { return m_known ? &*m_known : nullptr; }
  /// Whether others wait for the facts of this process.
  [[nodiscard]] bool is_finder() const { return m_file.is_taken(); }
  /// The known fits, moved out: there may be many segments, which are stored only once.
  [[nodiscard]] InputFits take_fits() {
    return m_known ? std::exchange(m_known->fits, {}) : InputFits{};
  }
  /// The machine of the facts, or the one of these options. \throws Error if they contradict each
  /// other, or this processor lacks the instruction set of the facts
  [[nodiscard]] Machine machine(const std::string& file, InstructionSet wanted) const;
  /// \throws Error if the facts are of other files
  void require_files(const Fingerprint& files) const;

  /// Stores the facts of this process, if it is the one to find them. `found` needs neither
  /// `follows_from` nor a machine.
  /// \throws Error if the file cannot be written, or another process has stored different facts
  void keep(const PartFacts& found, const Machine& machine);
  /// After the run: removes the file if no part of the output is left.
  void leave() const;

 private:
  void begin(const Messages& messages);
  /// Uses existing facts. False if there are none that may be used.
  bool take_known(bool is_part_there);
  [[noreturn]] void refuse(const std::string& differs) const;
  [[nodiscard]] bool is_part_there() const;
  /// The file with rows of the output: OUT.part, or the files of compressed parts.
  [[nodiscard]] std::string parts() const;
  [[nodiscard]] bool may_share() const;

  OutputRequest m_output;
  std::string m_part;  ///< OUT.part
  SharedFile m_file;
  Fingerprint m_follows_from;
  std::optional<PartFacts> m_known;
  bool m_has_kept = false;
};

/// Adds the file of an input, on which facts depend. Adds nothing if it is missing: opening it
/// reports the error.
void add_file(Fingerprint& follows_from, const std::string& name, const std::string& file);
/// The dependencies of the facts of `convolve`, and of `features`.
Fingerprint facts_follow_from(const ConvolveRequest& request);
Fingerprint facts_follow_from(const FeaturesRequest& request, const DesignFile& design);

}  // namespace synelix::tool
