// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Files that are damaged, truncated, inconsistent, cyclic, or that claim to be enormous: they give
// an Error with a useful message, or the right result.
#include "files/made_file.hpp"
#include "files/made_values.hpp"
#include "fuzz/read_everything.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/nwb.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <fstream>
#include <iterator>
#include <limits>

namespace hostile_files_tests {
namespace {

namespace sx = synelix;
using Space = Kokkos::DefaultHostExecutionSpace;
using made::at;
using made::numbers;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<char> bytes_of(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& name, const std::vector<char>& bytes, std::size_t length) {
  std::filesystem::remove(name);
  std::ofstream(name, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(std::min(length, bytes.size())));
}

/// A small NWB file with spike trains, intervals and a signal in chunks.
void make_recording(const std::string& name) {
  const made::File made(name);
  made.dataset("/units/id", {3}, std::vector<std::int64_t>{0, 1, 2});
  made.dataset("/units/spike_times", {6}, std::vector<double>{0.1, 0.2, 0.25, 0.3, 0.1, 0.4});
  made.dataset("/units/spike_times_index", {3}, std::vector<std::uint8_t>{2, 4, 6});
  made.strings("/units/quality", {"good", "noise", "good"});
  made.dataset("/intervals/trials/start_time", {2}, std::vector<double>{0.05, 0.2});
  made.dataset("/intervals/trials/stop_time", {2}, std::vector<double>{0.15, 0.35});
  made.strings("/intervals/trials/kind", {"go", "stop"});
  const hid_t list = made::chunked({32, 2}, 1);
  made.dataset("/acquisition/e/data", {200, 4}, numbers<std::int16_t>(800), H5T_NATIVE_INT16, list);
  H5Pclose(list);
  made.number("/acquisition/e/data", "conversion", 1e-6);
  made.dataset("/acquisition/e/starting_time", {}, std::vector<double>{0.5});
  made.number("/acquisition/e/starting_time", "rate", 1000.0);
}

TEST(HostileFiles, CutAtManyLengths) {
  const made::Folder folder;
  make_recording(folder / "whole.nwb");
  const std::vector<char> whole = bytes_of(folder / "whole.nwb");
  ASSERT_GT(whole.size(), 8000U);
  for (std::size_t length = 0; length < whole.size(); length += 397) {
    SCOPED_TRACE("cut at " + std::to_string(length));
    write_bytes(folder / "cut.nwb", whole, length);
    EXPECT_THAT([&] { sx::describe_file({folder / "cut.nwb", {}}); },
                ThrowsMessage<sx::Error>(HasSubstr("cut.nwb")));
    fuzz::read_everything(folder / "cut.nwb");
  }
}

TEST(HostileFiles, PagesOfZeros) {
  const made::Folder folder;
  make_recording(folder / "whole.nwb");
  const std::vector<char> whole = bytes_of(folder / "whole.nwb");
  constexpr std::size_t page = 512;
  // HDF5 itself never comes back from zeros in a heap of texts (1.14.5; tests/fuzz/README.md).
  const std::string text(whole.begin(), whole.end());
  const std::size_t heap = text.find("GCOL");
  constexpr std::size_t heap_bytes = 4096;
  ASSERT_NE(heap, std::string::npos);
  ASSERT_EQ(text.find("GCOL", heap + 1), std::string::npos);
  for (std::size_t begin = 0; begin + page <= whole.size(); begin += page) {
    if (begin + page > heap && begin < heap + heap_bytes) continue;
    SCOPED_TRACE("zeros from " + std::to_string(begin));
    std::vector<char> damaged = whole;
    std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(begin), page, '\0');
    write_bytes(folder / "damaged.nwb", damaged, damaged.size());
    fuzz::read_everything(folder / "damaged.nwb");
  }
}

/// Types that no column should have, or not this one.
std::vector<std::pair<std::string, hid_t>> odd_types() {
  const hid_t text = H5Tcopy(H5T_C_S1);
  H5Tset_size(text, 12);
  const hid_t any_text = H5Tcopy(H5T_C_S1);
  H5Tset_size(any_text, H5T_VARIABLE);
  const hid_t compound = H5Tcreate(H5T_COMPOUND, 12);
  H5Tinsert(compound, "start", 0, H5T_STD_I32LE);
  H5Tinsert(compound, "count", 4, H5T_STD_I32LE);
  const hsize_t three = 3;
  const hid_t enumeration = H5Tenum_create(H5T_STD_I16LE);
  const std::int16_t member = 7;
  H5Tenum_insert(enumeration, "seven", &member);
  return {{"text", text},
          {"variable text", any_text},
          {"compound", compound},
          {"list", H5Tvlen_create(H5T_IEEE_F64LE)},
          {"array", H5Tarray_create2(H5T_STD_I32LE, 1, &three)},
          {"reference", H5Tcopy(H5T_STD_REF_OBJ)},
          {"region", H5Tcopy(H5T_STD_REF_DSETREG)},
          {"opaque", H5Tcreate(H5T_OPAQUE, 5)},
          {"bits", H5Tcopy(H5T_STD_B64LE)},
          {"enumeration", enumeration},
          {"integer", H5Tcopy(H5T_STD_U64BE)},
          {"float", H5Tcopy(H5T_IEEE_F32BE)}};
}

TEST(HostileFiles, EveryColumnOfEveryTypeAndManyExtents) {
  const made::Folder folder;
  make_recording(folder / "whole.nwb");
  const std::vector<char> whole = bytes_of(folder / "whole.nwb");
  const std::vector<std::vector<hsize_t>> shapes = {{}, {0}, {1}, {3}, {200}, {3, 2}, {2, 0, 3}};
  int files = 0;
  for (const auto& [name, type] : odd_types()) {
    for (const char* const path :
         {"/units/id", "/units/spike_times", "/units/spike_times_index", "/units/quality",
          "/intervals/trials/start_time", "/intervals/trials/kind", "/acquisition/e/data",
          "/acquisition/e/starting_time"}) {
      const auto& shape = shapes[static_cast<std::size_t>(files) % shapes.size()];
      SCOPED_TRACE(std::string(path) + " as " + name);
      write_bytes(folder / "lying.nwb", whole, whole.size());
      const hid_t file = H5Fopen((folder / "lying.nwb").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      H5Ldelete(file, path, H5P_DEFAULT);
      const hid_t space =
          shape.empty() ? H5Screate(H5S_SCALAR)
                        : H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
      const hid_t made = H5Dcreate2(file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      EXPECT_GE(made, 0);
      H5Dclose(made);
      H5Sclose(space);
      H5Fclose(file);
      fuzz::read_everything(folder / "lying.nwb");
      ++files;
    }
    H5Tclose(type);
  }
  EXPECT_EQ(files, 96);
}

TEST(HostileFiles, NumbersThatAreNone) {
  const made::Folder folder;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double number : {nan, infinity, -infinity, 0.0, -1.0, 1e308, 5e-324}) {
    for (const char* const name : {"rate", "conversion", "offset"}) {
      make_recording(folder / "odd.nwb");
      const made::Folder other;
      made::File(other / "x.h5").dataset("/x", {50, 2}, numbers<std::int16_t>(100));
      const hid_t file = H5Fopen((other / "x.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
      const hid_t dataset = H5Dopen2(file, "/x", H5P_DEFAULT);
      const hid_t space = H5Screate(H5S_SCALAR);
      const hid_t attribute =
          H5Acreate2(dataset, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT);
      H5Awrite(attribute, H5T_NATIVE_DOUBLE, &number);
      H5Aclose(attribute);
      H5Sclose(space);
      H5Dclose(dataset);
      H5Fclose(file);
      fuzz::read_everything(other / "x.h5");
      try {
        const sx::Hdf5Source source(at(other / "x.h5", "/x"));
        const auto rate = source.description().rate_hz;
        EXPECT_TRUE(!rate || (*rate > 0 && *rate < infinity)) << name << " = " << number;
      } catch (const sx::Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("x.h5")) << name << " = " << number;
      }
    }
  }
}

TEST(HostileFiles, LinksInCirclesAndIntoNothing) {
  const made::Folder folder;
  const std::string name = folder / "links.h5";
  {
    const made::File made(name);
    made.dataset("/g/x", {40, 2}, numbers<float>(80));
    const auto soft = [&](const char* to, const char* from) {
      H5Lcreate_soft(to, made.id(), from, H5P_DEFAULT, H5P_DEFAULT);
    };
    soft("/self", "/self");
    soft("/b", "/a");
    soft("/a", "/b");
    soft("/nowhere", "/dangling");
    soft("/g/x", "/also");
    H5Lcreate_hard(made.id(), "/g", made.id(), "/g/inside_itself", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external(name.c_str(), "/outside", made.id(), "/outside", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("none.h5", "/x", made.id(), "/elsewhere", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external(name.c_str(), "/g/x", made.id(), "/round", H5P_DEFAULT, H5P_DEFAULT);
  }
  EXPECT_EQ(sx::describe_file({name, {}}).datasets.size(), 1U);
  for (const char* const path : {"/self", "/a", "/dangling", "/outside", "/elsewhere"}) {
    EXPECT_THAT([&] { const sx::Hdf5Source source(at(name, path)); },
                ThrowsMessage<sx::Error>(HasSubstr("links.h5:" + std::string(path))));
    EXPECT_THROW(sx::read_matrix(at(name, path)), sx::Error);
    EXPECT_THROW(sx::describe_file(at(name, path)), sx::Error);
  }
  for (const char* const path : {"/also", "/round", "/g/inside_itself/inside_itself/x"}) {
    sx::Hdf5Source source(at(name, path));
    EXPECT_EQ(made::all_of<float>(source), numbers<float>(80)) << path;
  }
}

TEST(HostileFiles, ReferencesAreNoNumbers) {
  const made::Folder folder;
  const std::string name = folder / "references.nwb";
  make_recording(name);
  const hid_t file = H5Fopen(name.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hsize_t two = 2;
  const hid_t space = H5Screate_simple(1, &two, nullptr);
  std::array<hobj_ref_t, 2> references{};
  H5Rcreate(references.data(), file, "/units/id", H5R_OBJECT, H5I_INVALID_HID);
  references[1] = 0x7fff'ffff'ffff;  // of nothing
  for (const char* const path : {"/references", "/units/electrodes"}) {
    const hid_t made =
        H5Dcreate2(file, path, H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(made, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references.data());
    H5Dclose(made);
  }
  const hid_t made = H5Oopen(file, "/units/id", H5P_DEFAULT);
  const hid_t attribute =
      H5Acreate2(made, "table", H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, H5T_STD_REF_OBJ, references.data());
  H5Aclose(attribute);
  H5Oclose(made);
  H5Sclose(space);
  H5Fclose(file);
  EXPECT_THAT(
      [&] { const sx::Hdf5Source source(at(name, "/references")); },
      ThrowsMessage<sx::Error>(HasSubstr("/references: it holds reference of extents (2,)")));
  EXPECT_THAT([&] { sx::read_units(name, {.bin_seconds = 0.1, .where = {{"electrodes", "1"}}}); },
              ThrowsMessage<sx::Error>(
                  HasSubstr("its entries are of type reference. Give a column of text")));
  fuzz::read_everything(name);
}

/// A dataset of chunks, none of which is stored.
void claim(const made::File& made, const std::string& path, const std::vector<hsize_t>& extents,
           const std::vector<hsize_t>& chunk, hid_t type, unsigned deflate = 0) {
  const hid_t list = made::chunked(chunk, deflate);
  made.raw(path, extents, nullptr, type, type, list);
  H5Pclose(list);
}

TEST(HostileFiles, EnormousOnesAreReadInPartsOrRefused) {
  const made::Folder folder;
  const std::string name = folder / "enormous.h5";
  constexpr hsize_t one = 1;
  {
    const made::File made(name);
    claim(made, "/long", {one << 40, 2}, {1024, 2}, H5T_NATIVE_INT16);
    claim(made, "/wide", {100, one << 40}, {10, 1000}, H5T_NATIVE_FLOAT);
    claim(made, "/endless", {one << 60}, {1 << 20}, H5T_NATIVE_FLOAT);
    claim(made, "/beyond", {one << 40, one << 40}, {1 << 10, 1 << 10}, H5T_NATIVE_FLOAT);
    claim(made, "/nothing", {0, one << 62, one << 62}, {1, 16, 16}, H5T_NATIVE_FLOAT);
    claim(made, "/chunk", {one << 30, 4}, {(one << 28) - 1, 4}, H5T_NATIVE_UINT8, 1);
    claim(made, "/dust", {1000, 1 << 20}, {1, 1}, H5T_NATIVE_UINT8);
    claim(made, "/epochs", {one << 40, 2}, {1024, 2}, H5T_NATIVE_INT64);
    claim(made, "/units/id", {one << 40}, {1024}, H5T_NATIVE_INT64);
    claim(made, "/units/spike_times", {one << 40}, {1024}, H5T_NATIVE_DOUBLE);
    claim(made, "/units/spike_times_index", {one << 40}, {1024}, H5T_NATIVE_INT64);
  }
  sx::Hdf5Source long_one(at(name, "/long"));
  EXPECT_EQ(long_one.shape().samples, std::int64_t{1} << 40);
  std::vector<std::int16_t> values(200, 7);
  long_one.read({(std::int64_t{1} << 40) - 100, std::int64_t{1} << 40}, {0, 2}, values.data());
  EXPECT_EQ(values, std::vector<std::int16_t>(200, 0));

  sx::Hdf5Source dust(at(name, "/dust"));
  dust.begin(10, 1 << 20, dust.own_bytes(10, 1 << 20, sx::mebibytes(64)));
  EXPECT_LE(dust.chunk_cache_bytes(), sx::mebibytes(64));

  const auto expect_refused = [&](const char* path, const char* words) {
    EXPECT_THAT([&] { const sx::Hdf5Source source(at(name, path)); },
                ThrowsMessage<sx::Error>(HasSubstr(words)))
        << path;
  };
  expect_refused("/endless", "more than 2^56 values");
  expect_refused("/beyond", "more than 2^56 values");
  expect_refused("/nothing", "more than 2^56 values");
  EXPECT_THAT(
      [&] { sx::read_matrix(at(name, "/long")); },
      ThrowsMessage<sx::Error>(HasSubstr("2199023255552 values. Give a matrix of at most")));
  EXPECT_THAT([&] { sx::read_epochs(at(name, "/epochs")); },
              ThrowsMessage<sx::Error>(HasSubstr("1099511627776 epochs. Give at most")));
  EXPECT_THAT([&] { sx::read_bank(at(name, "/wide")); },
              ThrowsMessage<sx::Error>(HasSubstr("at most")));
  EXPECT_THAT([&] { sx::read_units(name, {.bin_seconds = 0.1}); },
              ThrowsMessage<sx::Error>(HasSubstr("/units/id: it has 1099511627776 values")));
}

TEST(HostileFiles, AStreamOfAnEnormousOneHasItsZerosOrAnError) {
  const made::Folder folder;
  const std::string name = folder / "enormous.h5";
  {
    const made::File made(name);
    claim(made, "/long", {hsize_t{1} << 40, 2}, {1024, 2}, H5T_NATIVE_INT16);
    claim(made, "/wide", {100, hsize_t{1} << 40}, {10, 1000}, H5T_NATIVE_FLOAT);
    claim(made, "/most", {hsize_t{1} << 55, 2}, {1 << 20, 2}, H5T_NATIVE_FLOAT);
    claim(made, "/chunk", {hsize_t{1} << 30, 4}, {(hsize_t{1} << 28) - 1, 4}, H5T_NATIVE_UINT8, 1);
  }
  const sx::FilterBank<float, Space> bank(Space(), sx::evaluate_taps(sx::History{}, 3));
  const sx::ConvolveOptions options{.budget = sx::mebibytes(16)};
  sx::Hdf5Source source(at(name, "/long"));
  std::vector<float> features(100 * 2 * 3, 1.0F);
  sx::MemorySink memory(sx::StridedOutput(features.data(), {100, 2, 3}));
  const std::int64_t begin = std::int64_t{1} << 39;
  sx::stream_convolve(Space(), source, bank, memory, options,
                      {.samples = sx::Range{begin, begin + 100}});
  EXPECT_EQ(features, std::vector<float>(600, 0.0F));

  for (const char* const path : {"/wide", "/most", "/chunk"}) {
    sx::Hdf5Source enormous(at(name, path));
    sx::Hdf5Sink sink(at(folder / "out.h5", "/f"));
    try {
      const sx::StreamPlan plan =
          sx::plan_stream(Space(), enormous, bank, std::as_const(sink), options);
      EXPECT_LE(plan.total_bytes, sx::mebibytes(16)) << path;
      EXPECT_GT(plan.features.bytes(), 0) << path << ": the bytes of the features do not fit";
    } catch (const sx::Error& error) {
      std::printf("%s: %s\n", path, error.what());
    }
  }
  EXPECT_THAT(folder.names(), ElementsAre("enormous.h5"));
}

TEST(HostileFiles, LargeAttributesAreNamedAndNotRead) {
  const made::Folder folder;
  const std::string name = folder / "attributes.h5";
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);  // else at most 64 KiB
  const hid_t file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  const hsize_t count = 1 << 20;
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  const hid_t dataset =
      H5Dcreate2(file, "/x", H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t attribute =
      H5Acreate2(dataset, "conversion", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(attribute, H5T_NATIVE_DOUBLE, std::vector<double>(count, 2.0).data());
  H5Aclose(attribute);
  H5Dclose(dataset);
  H5Sclose(space);
  H5Fclose(file);
  H5Pclose(access);
  const sx::FileDescription description = sx::describe_file({name, {}});
  ASSERT_EQ(description.datasets.size(), 1U);
  EXPECT_THAT(description.datasets[0].attributes,
              ElementsAre(testing::Pair("conversion", "(1048576 of float64)")));
  EXPECT_THAT(
      [&] { const sx::Hdf5Source source(at(name, "/x")); },
      ThrowsMessage<sx::Error>(AllOf(HasSubstr("/x, attribute conversion"),
                                     HasSubstr("(1048576 values), which is not one number"))));
}

/// Groups in groups; each step costs the same, however deep.
void nest(const std::string& name, int depth, const char* link) {
  const made::File made(name);
  hid_t parent = H5Gopen2(made.id(), "/", H5P_DEFAULT);
  for (int i = 0; i < depth; ++i) {
    const hid_t child = H5Gcreate2(parent, link, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(parent);
    parent = child;
  }
  const hid_t space = H5Screate(H5S_SCALAR);
  H5Dclose(H5Dcreate2(parent, "x", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
  H5Gclose(parent);
}

TEST(HostileFiles, ThousandsOfNestedGroupsAreLookedThroughOrAnError) {
  const made::Folder folder;
  nest(folder / "deep.h5", 8000, "g");
  const sx::FileDescription found = sx::describe_file({folder / "deep.h5", {}});
  ASSERT_EQ(found.datasets.size(), 1U);
  EXPECT_EQ(found.datasets[0].path.size(), 16'002U);
  EXPECT_TRUE(sx::describe_nwb(folder / "deep.h5").signals.empty());
  nest(folder / "long.h5", 700, std::string(100, 'g').c_str());
  EXPECT_THAT([&] { sx::describe_file({folder / "long.h5", {}}); },
              ThrowsMessage<sx::Error>(HasSubstr("a path of more than 65536 bytes")));
}

TEST(HostileFiles, ADamagedChunkEndsAStreamAndLeavesWhatAResumingOneTakes) {
  const made::Folder folder;
  const std::string name = folder / "damaged.h5";
  {
    const made::File made(name);
    const hid_t list = made::chunked({64, 4}, 1);
    made.dataset("/x", {2000, 4}, numbers<std::int16_t>(8000), H5T_NATIVE_INT16, list);
    H5Pclose(list);
  }
  const hid_t file = H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, "/x", H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  hsize_t chunks = 0;
  H5Dget_num_chunks(dataset, space, &chunks);
  haddr_t place = 0;
  hsize_t size = 0;
  H5Dget_chunk_info(dataset, space, chunks - 2, nullptr, nullptr, &place, &size);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  std::vector<char> bytes = bytes_of(name);
  std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(place), size, '\x5A');
  write_bytes(name, bytes, bytes.size());

  const sx::FilterBank<float, Space> bank(Space(), sx::evaluate_taps(sx::History{}, 3));
  sx::Hdf5Source source(at(name, "/x"));
  sx::Hdf5Sink sink(at(folder / "out.h5", "/f"));
  EXPECT_THAT(
      [&] { sx::stream_convolve(Space(), source, bank, sink, {.batch = {.samples = 100}}); },
      ThrowsMessage<sx::Error>(
          AllOf(HasSubstr("damaged.h5:/x: samples "), HasSubstr("cannot be read"))));
  EXPECT_THAT(folder.names(), testing::UnorderedElementsAre("damaged.h5", "out.h5.part"));
}

}  // namespace
}  // namespace hostile_files_tests
