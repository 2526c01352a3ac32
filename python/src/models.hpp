// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "objects.hpp"

#include <synelix/design_matrix.hpp>
#include <synelix/glm.hpp>
#include <synelix/glm_path.hpp>
#include <synelix/glm_score.hpp>

#include <optional>

/// \file
/// Designs and models in the form of Python objects.

namespace synelix::python {

/// A design matrix and the objects that it refers to, on its own instance. One product at a time.
class Design {
 public:
  /// A stored matrix (rows, columns).
  Design(const Given& features, const nb::dict& options, int threads);
  /// An expression over inputs.
  Design(const Expression& expression, const nb::list& inputs, const std::optional<Ranges>& epochs,
         const nb::dict& options, int threads);
  /// An expression over sources that are read in each product, and spike trains.
  Design(const Expression& expression, const nb::list& sources, const nb::dict& options,
         int threads);
  Design(const Design&) = delete;
  Design& operator=(const Design&) = delete;
  /// In a torn child, files stay open: closing them would wait for locks of threads that do not
  /// exist.
  ~Design() {
    if (is_torn()) static_cast<void>(m_sources.release());
  }
  /// Runs body(design) without the GIL, as the only user, while forks wait; then shows the
  /// warnings.
  template <class Body>
  void use(const Body& body) {
    run_in_flight([&] {
      const Alone::Use use(m_alone, "design");
      if constexpr (has_device) {
        if (m_device_lease) {
          const OnDevice here;
          await_device();  // the caller may have changed the inputs in a stream
          return body(get());
        }
      }
      body(get());
    });
  }
  /// \throws Error after the end of Kokkos
  [[nodiscard]] const DesignMatrix& get() const {
    if (m_matrix.get() == nullptr) refuse_at_end("design");
    return *m_matrix.get();
  }

 private:
  std::optional<Given> m_features;
  std::optional<Inputs> m_inputs;
  nb::list m_sources;
  Alone m_alone;
  /// m_matrix = make(exec) in the memory of the features or inputs, without the GIL; then shows the
  /// warnings.
  template <class Make>
  void make(Memory memory, int threads, const Make& make) {
    run_in_flight([&] {
      if constexpr (has_device) {
        if (memory == Memory::device) {
          m_device_lease.emplace(threads, LeaseFor::plan);
          const At<DeviceExec> here;
          m_matrix.emplace(make(**m_device_lease));
        }
      }
      if (m_matrix.get() == nullptr) {
        m_lease.emplace(threads, LeaseFor::plan);
        m_matrix.emplace(make(**m_lease));
      }
    });
  }

  std::optional<Lease> m_lease;
  std::optional<LeaseOn<DeviceExec>> m_device_lease;
  Held<DesignMatrix> m_matrix;
};

/// Targets, offset and weights, and the objects that they refer to.
class Observed {
 public:
  /// \param targets  an array (rows) or (rows, targets), or Trains
  Observed(const nb::object& targets, const std::optional<Array>& offset,
           const std::optional<Array>& weights);
  [[nodiscard]] const Observations& get() const { return m_observations; }
  [[nodiscard]] std::int64_t targets() const { return m_targets; }

 private:
  nb::object m_object;
  std::optional<Array> m_array;
  std::optional<Array> m_offset;
  std::optional<Array> m_weights;
  std::int64_t m_targets = 1;
  Observations m_observations;
};

Loss loss_of(const nb::dict& options);
/// Options of a fit by keywords. Unknown keys are ignored: Python checks them.
FitOptions fit_options(const nb::dict& options, const nb::object& progress);
ScoreKind score_kind_of(nb::handle text);

nb::dict described(const FitResult& model);
nb::dict described(const PathResult& path);
/// A model from its coefficients (columns, targets) and intercepts.
FitResult model_of(const nb::dict& model);

void bind_design(nb::module_& module);
void bind_scores(nb::module_& module);

}  // namespace synelix::python
