// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/apart.hpp"
#include "launch/arrays.hpp"
#include "machine/device_memory.hpp"
#include "machine/spaces.hpp"
#include "mpi/halo.hpp"
#include "mpi/halo_memory.hpp"
#include "streams/fingerprint.hpp"
#include "streams/row_map.hpp"

#include <synelix/mpi.hpp>
#include <synelix/session.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace synelix::mpi {
namespace {

std::string text_of(Range range) {
  return "[" + std::to_string(range.begin) + ", " + std::to_string(range.end) + ")";
}

/// Refuses samples of a rank outside the series.
void check_own(const SeriesShape& whole, Range own) {
  if (own.begin < 0 || own.end < own.begin || own.end > whole.samples) {
    throw Error("own", text_of(own) + " is not a range of the samples",
                "Use ranges inside [0, " + std::to_string(whole.samples) + ")");
  }
}

/// Refuses ranges that do not partition the samples. All ranks get the same result.
void check_cut(const Ranks& ranks, const SeriesShape& whole, Range own) {
  std::vector<Range> all(static_cast<std::size_t>(ranks.size()));
  static_assert(sizeof(Range) == 2 * sizeof(std::int64_t));
  check(MPI_Allgather(&own, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, ranks.comm()),
        "MPI_Allgather");
  std::int64_t next = 0;
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r].begin != next) {
      throw RankError(static_cast<int>(r),
                      "own: " + text_of(all[r]) +
                          " does not begin where the ranks before end, at " + std::to_string(next) +
                          ". Cut the samples in the order of the ranks.",
                      ErrorKind::argument);
    }
    next = all[r].end;
  }
  if (next != whole.samples) {
    throw RankError(ranks.size() - 1,
                    "own: the last range ends at " + std::to_string(next) +
                        ". Cut all samples, so that it ends at " + std::to_string(whole.samples) +
                        ".",
                    ErrorKind::argument);
  }
}

/// The messages of this rank. Collective.
Halo exchange_ranges(const Ranks& ranks, Range own, const std::array<Seam, 2>& seams) {
  std::vector<RankSamples> all(static_cast<std::size_t>(ranks.size()));
  const RankSamples mine{own, {seams[0].samples, seams[1].samples}};
  static_assert(sizeof(RankSamples) == 6 * sizeof(std::int64_t));
  check(MPI_Allgather(&mine, 6, MPI_INT64_T, all.data(), 6, MPI_INT64_T, ranks.comm()),
        "MPI_Allgather");
  return halo_of(ranks.rank(), all);
}

/// The samples of a rank as (samples, channels). \throws Error for other extents or another type
Strided samples_of(const Strided& own, const SeriesShape& whole, Range range) {
  Strided samples = own;
  if (own.rank == 1 && whole.channels == 1) {
    samples.rank = 2;
    samples.extents[1] = 1;
    samples.strides[1] = 1;
  }
  if (samples.rank != 2 || samples.type != whole.type || samples.extents[0] != range.size() ||
      samples.extents[1] != whole.channels || (range.size() > 0 && samples.data == nullptr)) {
    throw Error("own",
                plan::extents_text(own) + " of " + std::string(name_of(own.type)) +
                    " is not the samples of this rank",
                "Give (" + std::to_string(range.size()) + ", " + std::to_string(whole.channels) +
                    ") of " + std::string(name_of(whole.type)));
  }
  return samples;
}

template <class Scalar>
StridedOutput output_of_rows(StridedOutput features, Range rows, std::int64_t first) {
  if (rows.size() > 0) {
    features.data =
        static_cast<Scalar*>(features.data) + (rows.begin - first) * features.strides[0];
  }
  features.extents[0] = rows.size();
  return features;
}

/// An array of samples without gaps.
Strided dense(const std::byte* data, StoredType type, std::int64_t samples, std::int64_t channels) {
  Strided array;
  array.data = data;
  array.type = type;
  array.rank = 2;
  array.extents = {samples, channels};
  array.strides = {channels, 1};
  return array;
}

}  // namespace

template <class Scalar, class ExecutionSpace>
struct ConvolvePlan<Scalar, ExecutionSpace>::State {
  using Whole = synelix::ConvolvePlan<Scalar, ExecutionSpace>;

  SeriesShape whole;
  Range own;
  std::int64_t bases;
  RowCut cut;
  std::optional<Whole> plan;
  std::optional<HaloMemory<ExecutionSpace>> halo;
  std::optional<StridedOutput> features;  ///< of an unfinished start

  void run(const ExecutionSpace& exec, Range rows, const Strided& input,
           std::int64_t first_sample) const {
    if (rows.size() == 0) return;
    plan->run_block(exec, {rows, {0, whole.channels}, {0, bases}}, input, first_sample,
                    output_of_rows<Scalar>(*features, rows, cut.rows.begin));
  }
};

template <class Scalar, class ExecutionSpace>
ConvolvePlan<Scalar, ExecutionSpace>::ConvolvePlan(const Ranks& ranks, const ExecutionSpace& exec,
                                                   const SeriesShape& whole, Range own,
                                                   const FilterBank<Scalar, ExecutionSpace>& bank,
                                                   const ConvolveOptions& options) {
  together(ranks, [&] {
    require_running("synelix::mpi::ConvolvePlan");
    if (whole.has_events) {
      throw Error("whole", "events are not cut along time",
                  "Give all events to each rank, and use synelix::ConvolvePlan::run_block");
    }
    require_valid(whole);
    check_own(whole, own);
  });
  require_same(ranks, "whole", stream::fingerprint_of(whole, {}, nullptr));
  check_cut(ranks, whole, own);
  std::int64_t budget = 0;
  ConvolveOptions own_options = options;
  const std::int64_t row_bytes = whole.channels * size_of(whole.type);
  together(ranks, [&] {
    budget = options.budget ? *options.budget : default_budget_of(exec) / ranks.on_node();
    own_options.budget = budget;
    m_state = std::unique_ptr<State>(new State{whole, own, bank.bases(), {}, {}, {}, {}});
    m_state->plan.emplace(exec, whole, bank, own_options);
    m_state->cut = cut_rows(rows_of_samples({whole, bank.window(), options}, own), own,
                            [&](Range rows) { return m_state->plan->samples_for(rows); });
  });
  Halo halo = exchange_ranges(ranks, own, m_state->cut.seams);
  together(ranks, [&] {
    const std::int64_t halo_bytes = row_bytes * (halo.seam_rows() + mpi::rows_of(halo.sends));
    if (choice().workspace_bytes > budget - halo_bytes) {  // the halo leaves less
      own_options.budget = budget - halo_bytes;
      if (*own_options.budget <= 0) {
        throw BudgetError("budget",
                          std::to_string(budget) + " bytes do not hold the samples of other ranks",
                          "Give more than " + std::to_string(halo_bytes));
      }
      m_state->plan.reset();
      try {
        m_state->plan.emplace(exec, whole, bank, own_options);
      } catch (const BudgetError& error) {
        throw BudgetError(std::string(error.what()) + " Add " + std::to_string(halo_bytes) +
                          " bytes for samples of other ranks.");
      }
    }
    m_state->halo.emplace(exec, ranks, row_bytes, std::move(halo));
  });
  const Choice& found = choice();
  require_same(ranks, "convolution",
               stream::fingerprint_of(bank.taps(), options, found,
                                      FeaturesShape{.rows = found.rows,
                                                    .channels = whole.channels,
                                                    .bases = bank.bases(),
                                                    .type = stored_type<Scalar>},
                                      {0, found.rows}));
}

template <class Scalar, class ExecutionSpace>
ConvolvePlan<Scalar, ExecutionSpace>::ConvolvePlan(ConvolvePlan&&) noexcept = default;
template <class Scalar, class ExecutionSpace>
ConvolvePlan<Scalar, ExecutionSpace>& ConvolvePlan<Scalar, ExecutionSpace>::operator=(
    ConvolvePlan&& other) noexcept {
  std::swap(m_state, other.m_state);
  return *this;
}
template <class Scalar, class ExecutionSpace>
ConvolvePlan<Scalar, ExecutionSpace>::~ConvolvePlan() {
  // Messages of a start without a finish still use this memory, so it is never freed.
  if (m_state && m_state->features) (void)m_state.release();
}

template <class Scalar, class ExecutionSpace>
void ConvolvePlan<Scalar, ExecutionSpace>::start(const ExecutionSpace& exec, const Strided& own,
                                                 const StridedOutput& features) {
  State& state = *m_state;
  if (state.features) {
    throw StateError("mpi::ConvolvePlan", "a start is not finished", "Call finish first");
  }
  const Strided samples = samples_of(own, state.whole, state.own);
  plan::check_features(features, stored_type<Scalar>, state.cut.rows.size(), state.whole.channels,
                       state.bases);
  if (!plan::are_apart(features, samples)) {
    throw Error("features", "its memory overlaps that of own", "Give it memory of its own");
  }
  state.features = features;
  state.halo->start(exec, samples);
  state.run(exec, state.cut.interior, samples, state.own.begin);
}

template <class Scalar, class ExecutionSpace>
void ConvolvePlan<Scalar, ExecutionSpace>::finish(const ExecutionSpace& exec) {
  State& state = *m_state;
  if (!state.features) {
    throw StateError("mpi::ConvolvePlan", "nothing was started", "Call start first");
  }
  state.halo->finish(exec);
  for (int k = 0; k < 2; ++k) {
    const Seam& seam = state.cut.seams[static_cast<std::size_t>(k)];
    state.run(exec, seam.rows,
              dense(state.halo->samples_of(k), state.whole.type, seam.samples.size(),
                    state.whole.channels),
              seam.samples.begin);
  }
  state.features.reset();
}

template <class Scalar, class ExecutionSpace>
Range ConvolvePlan<Scalar, ExecutionSpace>::rows() const {
  return m_state->cut.rows;
}
template <class Scalar, class ExecutionSpace>
Range ConvolvePlan<Scalar, ExecutionSpace>::interior() const {
  return m_state->cut.interior;
}
template <class Scalar, class ExecutionSpace>
std::int64_t ConvolvePlan<Scalar, ExecutionSpace>::halo_bytes() const {
  return m_state->halo->received_bytes();
}
template <class Scalar, class ExecutionSpace>
const Choice& ConvolvePlan<Scalar, ExecutionSpace>::choice() const {
  return m_state->plan->choice();
}

#define SYNELIX_INSTANTIATE(SCALAR, SPACE) template class ConvolvePlan<SCALAR, SPACE>;
SYNELIX_FOR_EACH_SCALAR_AND_SPACE(SYNELIX_INSTANTIATE)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::mpi
