// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/plan/window_warnings.hpp"

#include <synelix/error.hpp>

#include <string>

namespace synelix::plan {

void warn_of(const char* verb, Short found, std::int64_t window, const ConvolveOptions& options) {
  const std::string call = std::string(verb) + ": ";
  if (options.causality == Causality::acausal && window % 2 == 0) {
    warn(call +
         "an acausal window should probably be odd, so that equally many NaN fall on "
         "either side; the window has " +
         std::to_string(window) + " samples");
  }
  if (options.border == Border::zero || found == Short::nothing) return;
  const bool is_one = found == Short::series;
  const std::string what = is_one                   ? "the series is"
                           : found == Short::epochs ? "one or more epochs are"
                                                    : "one or more trials are";
  warn(call + what + " shorter than the window of " + std::to_string(window) +
       " samples: " + (is_one ? "it has" : "they have") + " no row with a whole window" +
       (options.border != Border::nan ? ""
        : is_one                      ? ", and gives NaN"
                                      : ", and give NaN"));
}

void warn_of(const char* verb, const SeriesShape& shape, std::int64_t window, bool has_short_epoch,
             const ConvolveOptions& options) {
  warn_of(verb,
          !has_short_epoch       ? Short::nothing
          : shape.epochs.empty() ? Short::series
                                 : Short::epochs,
          window, options);
}

}  // namespace synelix::plan
