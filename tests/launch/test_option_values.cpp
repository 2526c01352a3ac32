// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/refusals.hpp"

#include <synelix/synelix.hpp>
#ifdef SYNELIX_HAVE_HDF5
#include "files/made_file.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/nwb.hpp>

#include <Kokkos_Core.hpp>

#endif

#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// Numbers that are cast to an enumeration without being one of its values: every verb that takes an
// option rejects them, and lists the valid values. (Those of convolution operators, products and
// forms are with their verbs.)

namespace option_values_tests {
namespace {

using namespace synelix;
using oracle::expect_refused;

using Space = Kokkos::DefaultExecutionSpace;

/// The first number after the values of an enumeration, and the largest number of its type.
template <class Enum>
std::vector<Enum> unknown_values(Enum last) {
  return {static_cast<Enum>(static_cast<int>(last) + 1), static_cast<Enum>(255)};
}

/// `call(value)` throws for values after `last`, naming the argument, the number and `last`.
template <class Enum, class Call>
void expect_unknown_refused(const std::string& argument, Enum last, const std::string& name_of_last,
                            const Call& call) {
  for (const Enum value : unknown_values(last)) {
    expect_refused([&] { call(value); }, argument,
                   "value " + std::to_string(static_cast<int>(value)),
                   std::to_string(static_cast<int>(last)) + " (" + name_of_last + ")");
  }
}

class OptionValues : public testing::Test {
 public:
  [[nodiscard]] StridedSeries series() const { return StridedSeries(Strided(x.data(), {50})); }
  [[nodiscard]] StridedOutput output() { return StridedOutput(y.data(), {50, 2}); }

  Space exec;
  std::vector<float> x = std::vector<float>(50, 1.0F);
  std::vector<float> y = std::vector<float>(100);
  FilterBank<float, Space> bank{exec, RaisedCosineLinear{.bases = 2}, {.window = 5}};
};

/// Every verb of a convolution with these options.
template <class Fixture, class Enum>
void expect_refused_by_convolutions(Fixture& test, const std::string& argument, Enum last,
                                    const std::string& name_of_last,
                                    const std::function<ConvolveOptions(Enum)>& options) {
  const SeriesShape shape = test.series().shape();
  expect_unknown_refused(argument, last, name_of_last, [&](Enum value) {
    convolve(test.exec, test.series(), test.bank, test.output(), options(value));
  });
  expect_unknown_refused(argument, last, name_of_last, [&](Enum value) {
    (void)choose(test.exec, shape, test.bank, options(value));
  });
  expect_unknown_refused(argument, last, name_of_last, [&](Enum value) {
    const ConvolvePlan<float, Space> plan(test.exec, shape, test.bank, options(value));
  });
  expect_unknown_refused(argument, last, name_of_last, [&](Enum value) {
    convolve(test.exec, std::vector{test.series()}, test.bank, std::vector{test.output()},
             options(value));
  });
  expect_unknown_refused(argument, last, name_of_last, [&](Enum value) {
    MemorySource source(test.series());
    MemorySink sink(test.output());
    stream_convolve(test.exec, source, test.bank, sink, options(value));
  });
  expect_unknown_refused(argument, last, name_of_last,
                         [&](Enum value) { (void)feature_rows(shape, 5, options(value)); });
  Choice choice = choose(test.exec, shape, test.bank, {.method = Method::direct});
  expect_unknown_refused(argument, last, name_of_last, [&](Enum value) {
    const ConvolveStream<float, Space> stream(test.exec, shape, test.bank, choice, options(value));
  });
}

TEST_F(OptionValues, OfConvolutions) {
  expect_refused_by_convolutions<OptionValues, Causality>(
      *this, "causality", Causality::anti_causal, "anti_causal",
      [](Causality value) { return ConvolveOptions{.causality = value}; });
  expect_refused_by_convolutions<OptionValues, Shift>(
      *this, "shift", Shift::off, "off",
      [](Shift value) { return ConvolveOptions{.shift = value}; });
  expect_refused_by_convolutions<OptionValues, Border>(
      *this, "border", Border::valid, "valid",
      [](Border value) { return ConvolveOptions{.border = value}; });
  expect_refused_by_convolutions<OptionValues, Method>(
      *this, "method", Method::fft, "fft",
      [](Method value) { return ConvolveOptions{.method = value}; });
  expect_refused_by_convolutions<OptionValues, Staging>(
      *this, "staging", Staging::always, "always",
      [](Staging value) { return ConvolveOptions{.staging = value}; });
  expect_refused_by_convolutions<OptionValues, InstructionSet>(
      *this, "machine.instruction_set", InstructionSet::sve256, "sve256",
      [](InstructionSet value) { return ConvolveOptions{.machine = {.instruction_set = value}}; });
}

TEST_F(OptionValues, OfFeatures) {
  const Expression expression = eval(Identity{});
  const auto compute = [&](const FeaturesOptions& options) {
    (void)compute_features<float>(exec, expression, {series()}, options);
  };
  expect_unknown_refused("border", Border::valid, "valid",
                         [&](Border value) { compute({.border = value}); });
  expect_unknown_refused("method", Method::fft, "fft",
                         [&](Method value) { compute({.method = value}); });
  expect_unknown_refused("staging", Staging::always, "always",
                         [&](Staging value) { compute({.staging = value}); });
  expect_unknown_refused(
      "machine.instruction_set", InstructionSet::sve256, "sve256",
      [&](InstructionSet value) { compute({.machine = {.instruction_set = value}}); });
  const Basis basis = History{};
  expect_unknown_refused("causality", Causality::anti_causal, "anti_causal", [&](Causality value) {
    (void)conv(basis, {.window = 3, .causality = value});
  });
  expect_unknown_refused("shift", Shift::off, "off",
                         [&](Shift value) { (void)conv(basis, {.window = 3, .shift = value}); });
  expect_unknown_refused("outside", Outside::channel, "channel", [](Outside value) {
    (void)eval(BSpline{.bases = 5}, {.outside = value});
  });
}

TEST(OptionValuesOf, Bases) {
  expect_unknown_refused("RaisedCosineLog.decay", Decay::open, "open", [](Decay value) {
    (void)evaluate_taps(RaisedCosineLog{.bases = 3, .decay = value}, 10);
  });
  expect_unknown_refused("RaisedCosineLog.decay", Decay::open, "open", [](Decay value) {
    (void)eval(RaisedCosineLog{.bases = 3, .decay = value});
  });
  expect_unknown_refused("Fourier.intercept", Intercept::with, "with", [](Intercept value) {
    (void)eval(Fourier{.frequencies = {{0, 1}}, .intercept = value});
  });
}

TEST(OptionValuesOf, Series) {
  const float sample = 1;
  expect_unknown_refused("series.type", StoredType::uint16, "uint16", [&](StoredType value) {
    Strided array(&sample, {1});
    array.type = value;
    (void)StridedSeries(array);
  });
  expect_unknown_refused("series.type", StoredType::uint16, "uint16", [&](StoredType value) {
    require_valid({.samples = 1, .channels = 1, .type = value, .epochs = {}});
  });
}

#ifdef SYNELIX_HAVE_HDF5
TEST(OptionValuesOf, Files) {
  const made::Folder folder;
  const auto path = [&](const char* name) { return parse_file_path(folder / name); };
  const Taps taps = evaluate_taps(History{}, 2);
  write_bank(path("bank.h5:/taps"), taps);
  const auto open = [&](const Hdf5SourceOptions& options) {
    (void)Hdf5Source(path("bank.h5:/taps"), options);
  };
  expect_unknown_refused("attribute_scaling", AttributeScaling::ignore, "ignore",
                         [&](AttributeScaling value) { open({.attribute_scaling = value}); });
  expect_unknown_refused("timestamps", Timestamps::ignore, "ignore",
                         [&](Timestamps value) { open({.timestamps = value}); });
  expect_unknown_refused("unobserved", Unobserved::leave_out, "leave_out", [&](Unobserved value) {
    (void)read_units(folder / "bank.h5", {.bin_seconds = 1.0, .unobserved = value});
  });

  const auto sink = [&](const Hdf5SinkOptions& options) {
    (void)Hdf5Sink(path("out.h5:/y"), options);
  };
  expect_unknown_refused("existing", Existing::append, "append",
                         [&](Existing value) { sink({.output = {.existing = value}}); });
  expect_unknown_refused(
      "filter.compression", Compression::shuffle_deflate, "shuffle_deflate",
      [&](Compression value) { sink({.output = {.filter = {.compression = value}}}); });
  expect_unknown_refused("start", Start::resume, "resume",
                         [&](Start value) { sink({.start = value}); });
  expect_unknown_refused("unfinished", Unfinished::remove, "remove",
                         [&](Unfinished value) { sink({.unfinished = value}); });
  for (const char* const name : {"other.h5:/taps", "bank.h5:/more"}) {
    expect_unknown_refused("existing", Existing::append, "append", [&](Existing value) {
      write_bank(path(name), taps, {.existing = value});
    });
    expect_unknown_refused("filter.compression", Compression::shuffle_deflate, "shuffle_deflate",
                           [&](Compression value) {
                             write_bank(path(name), taps, {.filter = {.compression = value}});
                           });
  }
  EXPECT_THAT(folder.names(), testing::ElementsAre("bank.h5")) << "nothing else was begun";
}
#endif

}  // namespace
}  // namespace option_values_tests
