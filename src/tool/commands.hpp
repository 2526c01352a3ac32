// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"

#include <string>
#include <type_traits>
#include <variant>

/// \file
/// The commands. Each runs its request, writes its data to stdout and its messages to stderr, and
/// throws Error on failure.

namespace synelix::tool {

/// `command_line` is stored in the history of the output. The exit code is that of an error if
/// lines of a list have failed; the message was already printed.
int run_convolve(const ConvolveRequest& request, const std::string& command_line);
void run_counts(const CountsRequest& request, const std::string& command_line);
int run_features(const FeaturesRequest& request, const std::string& command_line);
void run_fit(const FitRequest& request, const std::string& command_line);
void run_predict(const PredictRequest& request, const std::string& command_line);
void run_score(const ScoreRequest& request);
void run_basis(const BasisRequest& request, const std::string& command_line);
void run_simulate(const SimulateRequest& request, const std::string& command_line);
void run_join(const JoinRequest& request);
void run_calibrate(const CalibrateRequest& request);
/// \param no_kokkos  why Kokkos cannot run on this machine; empty: it runs, or is not needed
void run_info(const InfoRequest& request, const std::string& no_kokkos);

/// Whether a request needs Kokkos.
inline bool needs_kokkos(const Request& request) {
  const auto* info = std::get_if<InfoRequest>(&request);
  const bool reads_design = std::visit(
      [](const auto& wanted) {
        return std::is_base_of_v<DesignRequest, std::decay_t<decltype(wanted)>>;
      },
      request);
  return reads_design || std::holds_alternative<ConvolveRequest>(request) ||
         std::holds_alternative<CalibrateRequest>(request) ||
         (info != nullptr && info->input.file.empty());
}

/// The processors that a request selects.
inline Processors processors_of(const Request& request) {
  return std::visit(
      [](const auto& wanted) -> Processors {
        if constexpr (requires { wanted.processors; }) return wanted.processors;
        return {};
      },
      request);
}

}  // namespace synelix::tool
