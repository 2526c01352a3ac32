// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/fits/fit_designs.hpp"

#include <synelix/features.hpp>
#include <synelix/hdf5.hpp>
#include <synelix/stream_design_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace golden {
namespace {

/// The inputs of the expression of a design with counts.
struct Counts {
  Array array;  ///< (rows, units)
  synelix::Epochs epochs;
  synelix::Expression expression;
};

std::shared_ptr<const Counts> read_counts(const Group& design) {
  const Array taps = design.array("taps");
  const Array bounds = design.array("epochs");
  synelix::Epochs epochs;
  for (std::size_t i = 0; i + 1 < bounds.values.size(); i += 2) {
    epochs.push_back({static_cast<std::int64_t>(bounds.values[i]),
                      static_cast<std::int64_t>(bounds.values[i + 1])});
  }
  return std::make_shared<const Counts>(
      Counts{design.array("counts"), std::move(epochs),
             synelix::conv(synelix::CustomTaps{
                 .window = taps.extents[0], .bases = taps.extents[1], .taps = taps.values})});
}

synelix::Events events_of(const Counts& counts) {
  const std::int64_t rows = counts.array.extents[0];
  const std::int64_t units = counts.array.extents[1];
  std::vector<synelix::Events::Train> trains(static_cast<std::size_t>(units));
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t c = 0; c < units; ++c) {
      const double count = counts.array.values[static_cast<std::size_t>(t * units + c)];
      if (count == 0) continue;
      trains[static_cast<std::size_t>(c)].samples.push_back(t);
      trains[static_cast<std::size_t>(c)].counts.push_back(static_cast<float>(count));
    }
  }
  return {rows, trains, counts.epochs};
}

constexpr synelix::Keep keeps[] = {synelix::Keep::automatic, synelix::Keep::nothing,
                                   synelix::Keep::features};

std::string suffix_of(synelix::Keep keep) {
  if (keep == synelix::Keep::automatic) return "";
  return keep == synelix::Keep::nothing ? ", nothing kept" : ", features kept";
}

/// A dataset of a design as a source, and the design matrix over it.
FitDesign streamed(const std::string& name, const Group& design, const std::string& dataset,
                   const synelix::Expression& expression, const synelix::Epochs& epochs,
                   synelix::Keep keep) {
  const Kokkos::DefaultHostExecutionSpace exec;  // a device has no products with streamed designs
  const auto source = std::make_shared<synelix::Hdf5Source>(
      synelix::FilePath{design.file_name(), design.path() + "/" + dataset},
      synelix::Hdf5SourceOptions{.epochs = epochs});
  return {name + suffix_of(keep),
          synelix::stream_design_matrix(exec, expression, {*source}, {.keep = keep}), false,
          source};
}

/// Whether the file's answer is the only one. B-splines that sum to one are as good as the
/// intercept, which features in float would not tell.
bool has_one_answer(const FitCase& fit) { return fit.design != "spline" || fit.penalty != "none"; }

}  // namespace

std::vector<FitDesign> designs_of(const FitCase& fit, const Group& root) {
  const Kokkos::DefaultExecutionSpace exec;
  std::vector<FitDesign> designs;
  const synelix::Strided features(fit.features.values.data(), {fit.rows, fit.columns});
  designs.push_back({"stored", synelix::DesignMatrix(exec, features), true, nullptr});
  const Group design = root.group("designs").group(fit.design);
  for (const synelix::Keep keep : keeps) {  // in float, as all computed features
    if (!has_one_answer(fit)) break;
    designs.push_back(streamed("features of the file", design, "features",
                               synelix::eval(synelix::Identity{}), {}, keep));
  }
  if (!design.has("counts")) return designs;
  const std::shared_ptr<const Counts> counts = read_counts(design);
  const Kokkos::DefaultHostExecutionSpace host;  // a device has no products with lists of events
  const auto lists = std::make_shared<const synelix::Events>(events_of(*counts));
  const auto events = std::make_shared<const synelix::Events>(synelix::copy_events(exec, *lists));
  const auto series = std::make_shared<const synelix::StridedSeries>(
      synelix::Operand(synelix::Strided(counts->array.values.data(),
                                        {counts->array.extents[0], counts->array.extents[1]})),
      synelix::SeriesOptions{.epochs = counts->epochs});
  const auto held = std::make_shared<const std::vector<std::shared_ptr<const void>>>(
      std::vector<std::shared_ptr<const void>>{counts, lists, events, series});
  const auto add = [&](const std::string& name, const synelix::AnySeries& input,
                       const synelix::DesignMatrixOptions& options) {
    designs.push_back(
        {name, synelix::DesignMatrix(exec, counts->expression, {input}, options), false, held});
  };
  designs.push_back({"events",
                     synelix::DesignMatrix(host, counts->expression, {*lists},
                                           {.method = synelix::Method::events}),
                     false, held});
  for (const synelix::Keep keep : keeps) {
    add("series" + suffix_of(keep), *series, {.keep = keep});
    add("events as rows" + suffix_of(keep), *events,
        {.keep = keep, .method = synelix::Method::direct});
    designs.push_back(
        streamed("counts of the file", design, "counts", counts->expression, counts->epochs, keep));
  }
  return designs;
}

}  // namespace golden
