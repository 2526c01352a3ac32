// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <string>

namespace synelix::sweep {

/// A label that becomes a string only where a tool listens: Kokkos 5.2 copies the label of every
/// launch, which is an allocation for more than 15 characters. Remove when it takes them by
/// reference, as 5.0 does.
class Label {
 public:
  explicit Label(const std::string& text) : m_text(text) {}
  operator std::string() const {  // NOLINT(google-explicit-constructor): what Kokkos asks for
    return Kokkos::Tools::profileLibraryLoaded() ? m_text : std::string();
  }

 private:
  const std::string& m_text;
};

/// The one launch of a sweep: `teams` teams of `team_size` on the instance. Nothing is allocated
/// unless a tool listens.
template <class ExecutionSpace, class Functor>
void launch(const std::string& label, const ExecutionSpace& exec, int teams, int team_size,
            const Functor& functor) {
  Kokkos::parallel_for(Label(label), Kokkos::TeamPolicy<ExecutionSpace>(exec, teams, team_size),
                       functor);
}

}  // namespace synelix::sweep
