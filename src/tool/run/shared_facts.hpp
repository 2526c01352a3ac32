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

/// The facts of the run that this process is a part of. The first process finds them and keeps
/// them; the others wait for it, and take them. A run without parts shares nothing.
class SharedFacts {
 public:
  /// Reads the facts, or waits for the process that finds them, or becomes that process. Where
  /// OUT.part is there without facts, or OUT is finished, this process finds them for itself alone.
  /// \param follows_from  what the facts depend on
  /// \throws Error where the file is damaged or somebody else's, or its facts are of other inputs
  ///         or options and a part of the output is there
  SharedFacts(const OutputRequest& output, const Fingerprint& follows_from,
              const Messages& messages);
  SharedFacts(const SharedFacts&) = delete;
  SharedFacts& operator=(const SharedFacts&) = delete;
  /// Where no part of the output is there, removes what this process has kept.
  ~SharedFacts();

  /// The output that facts are kept for.
  [[nodiscard]] const OutputRequest& output() const { return m_output; }
  /// What another process has found; null: this process has to find it.
  [[nodiscard]] const PartFacts* known() const { return m_known ? &*m_known : nullptr; }
  /// Whether others wait for what this process finds.
  [[nodiscard]] bool is_finder() const { return m_file.is_taken(); }
  /// The fits that are known: there may be many segments, which are kept once.
  [[nodiscard]] InputFits take_fits() {
    return m_known ? std::exchange(m_known->fits, {}) : InputFits{};
  }
  /// The machine of the facts, or what these options say. \throws Error where they contradict, or
  /// this processor does not have the instruction set of the facts
  [[nodiscard]] Machine machine(const std::string& file, InstructionSet wanted) const;
  /// \throws Error where the facts are of other files
  void require_files(const Fingerprint& files) const;

  /// Keeps what this process has found, if it is the one. `found` needs neither
  /// `follows_from` nor a machine.
  /// \throws Error where the file cannot be written, or another process has kept something else
  void keep(const PartFacts& found, const Machine& machine);
  /// After the run: removes the file where no part of the output is left.
  void leave() const;

 private:
  void begin(const Messages& messages);
  /// Takes the facts that are there. False where there are none that may be used.
  bool take_known(bool is_part_there);
  [[noreturn]] void refuse(const std::string& differs) const;
  [[nodiscard]] bool is_part_there() const;
  /// What holds rows of the output: OUT.part, or the files of compressed parts.
  [[nodiscard]] std::string parts() const;
  [[nodiscard]] bool may_share() const;

  OutputRequest m_output;
  std::string m_part;  ///< OUT.part
  SharedFile m_file;
  Fingerprint m_follows_from;
  std::optional<PartFacts> m_known;
  bool m_has_kept = false;
};

/// What facts depend on: the file of an input. Nothing where it is missing: whoever opens it says
/// so.
void add_file(Fingerprint& follows_from, const std::string& name, const std::string& file);
/// What facts of `convolve` depend on, and of `features`.
Fingerprint facts_follow_from(const ConvolveRequest& request);
Fingerprint facts_follow_from(const FeaturesRequest& request, const DesignFile& design);

}  // namespace synelix::tool
