// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/source/foreign_marks.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace synelix::stream {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view understood = "Give an HDF5 or NWB file; ";

bool is_there(const fs::path& path) {
  std::error_code status;
  return fs::exists(path, status);
}

ForeignFormat format(std::string looks_like, std::string_view conversion) {
  return {std::move(looks_like), std::string(understood).append(conversion)};
}

constexpr std::string_view from_zarr =
    "in Python, h5py.File(\"x.h5\", \"w\")[\"x\"] = zarr.open(\"FOLDER\")[\"x\"][:] copies an "
    "array, and hdmf-zarr's NWBZarrIO with NWBHDF5IO().export() an NWB file";
constexpr std::string_view from_phy =
    "NeuroConv's PhySortingInterface(folder_path=...).run_conversion(nwbfile_path=\"x.nwb\", ...) "
    "in Python writes its units, which --units reads";
constexpr std::string_view from_spikeglx =
    "NeuroConv's SpikeGLXRecordingInterface(...).run_conversion(nwbfile_path=\"x.nwb\", ...) in "
    "Python writes it as an ElectricalSeries";
constexpr std::string_view from_matlab = "in MATLAB, save(\"x.mat\", \"-v7.3\") writes HDF5";
constexpr std::string_view from_numpy =
    "in Python, h5py.File(\"x.h5\", \"w\")[\"x\"] = numpy.load(\"x.npy\", mmap_mode=\"r\") "
    "converts it";

/// The first file in a folder whose name has this ending; empty if there is none.
std::string name_ending(const fs::path& folder, std::string_view ending) {
  std::error_code status;
  std::string found;
  for (const auto& entry : fs::directory_iterator(folder, status)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending) && (found.empty() || name < found)) found = name;
  }
  return found;
}

std::optional<ForeignFormat> of_folder(const fs::path& folder) {
  for (const char* const mark : {".zgroup", ".zarray", "zarr.json"}) {
    if (is_there(folder / mark)) {
      return format("a Zarr folder (" + std::string(mark) + ")", from_zarr);
    }
  }
  if (is_there(folder / "spike_times.npy") &&
      (is_there(folder / "params.py") || is_there(folder / "spike_clusters.npy"))) {
    return format("a phy folder (spike_times.npy)", from_phy);
  }
  const std::string meta = name_ending(folder, ".meta");
  const std::string stem = meta.substr(0, meta.rfind('.'));
  if (!meta.empty() && is_there(folder / (stem + ".bin"))) {
    return format("a SpikeGLX folder (" + meta + ")", from_spikeglx);
  }
  return std::nullopt;
}

std::optional<ForeignFormat> of_file(const fs::path& file) {
  std::array<char, 128> bytes{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), bytes.size());
  const std::string_view start(bytes.data(), static_cast<std::size_t>(stream.gcount()));
  if (start.starts_with("\x93NUMPY")) {
    const bool is_of_phy = file.filename() == "spike_times.npy";
    if (is_of_phy && of_folder(file.parent_path().empty() ? fs::path(".") : file.parent_path())) {
      return format("spike times of a phy folder", from_phy);
    }
    return format("a NumPy array (.npy)", from_numpy);
  }
  if (start.starts_with("MATLAB 5.0 MAT-file")) {
    return format("a MATLAB file of a version before 7.3", from_matlab);
  }
  fs::path beside = file;
  const std::string ending = file.extension().string();
  if (ending == ".meta" && is_there(beside.replace_extension(".bin"))) {
    return format("a SpikeGLX header (.meta)", from_spikeglx);
  }
  if (ending == ".bin" && is_there(beside.replace_extension(".meta"))) {
    return format("a SpikeGLX recording (.bin with .meta)", from_spikeglx);
  }
  const std::string name = file.filename().string();
  const bool is_mark = name == ".zgroup" || name == ".zarray" || name == "zarr.json";
  if (is_mark) return format("part of a Zarr folder", from_zarr);
  return std::nullopt;
}

}  // namespace

std::optional<ForeignFormat> foreign_format(const std::string& path) {
  std::error_code status;
  return fs::is_directory(path, status) ? of_folder(path) : of_file(path);
}

}  // namespace synelix::stream
