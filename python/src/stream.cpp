// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "objects.hpp"
#include "options.hpp"

#include <synelix/convolve_stream.hpp>

#include <algorithm>
#include <tuple>

namespace synelix::python {
namespace {

using namespace nb::literals;

/// A ConvolveStream of either type, on its own instance: blocks as they are recorded.
class Stream {
 public:
  Stream(Bank& bank, std::int64_t channels, std::int64_t longest, const Array& like, bool is_double,
         const nb::dict& keywords, int threads)
      : m_channels(channels), m_bases(bank.taps().bases), m_is_double(is_double) {
    const ConvolveOptions options = convolve_options(keywords);
    SeriesShape shape;
    shape.samples = longest;
    shape.channels = channels;
    shape.type = strided(like).type;
    run_in_flight([&] { make(bank, shape, longest, options, threads); });
  }

  nb::tuple push(const Array& block, const nb::object& out) {
    const Strided samples = strided(block, "block");
    return rows_of(
        out, [&](const auto& stream) { return stream.rows_for(samples.extents[0]); },
        [&](auto& stream, const StridedOutput& features) {
          return stream.push(**m_lease, samples, features);
        });
  }

  nb::tuple finish(const nb::object& out) {
    return rows_of(
        out, [](const auto& stream) { return stream.rows_at_end(); },
        [&](auto& stream, const StridedOutput& features) {
          return stream.finish(**m_lease, features);
        });
  }

  [[nodiscard]] std::int64_t delay() {
    return asked([](const auto& stream) { return stream.delay(); });
  }
  [[nodiscard]] std::int64_t samples() {
    return asked([](const auto& stream) { return stream.samples(); });
  }

 private:
  void make(Bank& bank, const SeriesShape& shape, std::int64_t longest,
            const ConvolveOptions& options, int threads) {
    m_lease.emplace(threads, Lease::For::plan);
    for_type(m_is_double, [&]<class Scalar>(Scalar*) {
      const FilterBank<Scalar, Exec> filters = bank.in<Scalar>(**m_lease);
      SeriesShape expected = shape;
      expected.samples = std::max<std::int64_t>(longest, 1'000'000);
      expected.epochs = {{0, expected.samples}};
      // Only the stream knows the entire use of the budget: its workspace, and the past that it
      // keeps.
      ConvolveOptions of_choice = options;
      of_choice.budget.reset();
      const Choice choice = choose_stream(**m_lease, expected, filters, of_choice);
      std::get<Held<ConvolveStream<Scalar, Exec>>>(m_streams).emplace(**m_lease, shape, filters,
                                                                      choice, options);
    });
  }

  template <class Scalar>
  ConvolveStream<Scalar, Exec>& of() {
    auto* stream = std::get<Held<ConvolveStream<Scalar, Exec>>>(m_streams).get();
    if (stream == nullptr) refuse_at_end("stream");
    return *stream;
  }

  template <class Body>
  auto visit(const Body& body) {
    return m_is_double ? body(of<double>()) : body(of<float>());
  }

  /// Properties of the stream between two blocks.
  template <class Body>
  std::int64_t asked(const Body& body) {
    const WithoutGil released;
    const Running running;
    const Alone::Use use(m_alone, "stream");
    return visit(body);
  }

  template <class Count, class Body>
  nb::tuple rows_of(const nb::object& out, const Count& count, const Body& body) {
    for (;;) {
      const std::int64_t rows = out.is_none() ? asked(count) : 0;
      nb::object result = out;
      if (out.is_none()) result = new_array(m_is_double, {rows, m_channels, m_bases});
      // If no row is known yet, the samples must still be passed on. The output is then a row that
      // is not written, because an array without rows has no memory.
      nb::object target = result;
      if (out.is_none() && rows == 0) target = new_array(m_is_double, {1, m_channels, m_bases});
      const StridedOutput features = written(target);
      std::optional<Range> known;
      {
        const WithoutGil released;
        const Running running;
        const Alone::Use use(m_alone, "stream");
        // Another thread may have pushed a block since the rows were counted.
        if (!out.is_none() || visit(count) == rows) {
          known = visit([&](auto& stream) { return body(stream, features); });
          (**m_lease).fence("synelix.ConvolveStream");
        }
      }
      if (!known) continue;
      pass_warnings();
      return nb::make_tuple(result, known->begin, known->end);
    }
  }

  std::int64_t m_channels;
  std::int64_t m_bases;
  bool m_is_double;
  Alone m_alone;
  std::optional<Lease> m_lease;
  std::tuple<Held<ConvolveStream<float, Exec>>, Held<ConvolveStream<double, Exec>>> m_streams;
};

}  // namespace

void bind_stream(nb::module_& module) {
  nb::class_<Stream>(module, "Stream", "A convolution of blocks as they are recorded.")
      .def(nb::init<Bank&, std::int64_t, std::int64_t, const Array&, bool, const nb::dict&, int>(),
           "bank"_a, "channels"_a, "longest"_a, "like"_a, "is_double"_a, "options"_a, "threads"_a)
      .def("push", &Stream::push, "block"_a, "out"_a.none())
      .def("finish", &Stream::finish, "out"_a.none())
      .def_prop_ro("delay", &Stream::delay)
      .def_prop_ro("samples", &Stream::samples);
}

}  // namespace synelix::python
