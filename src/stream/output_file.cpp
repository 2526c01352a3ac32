// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/output_file.hpp"

#include "stream/h5_file.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace synelix::h5 {
namespace {

std::string folder_of(const std::string& file) {
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return folder.empty() ? "." : folder.string();
}

/// Brings a renamed file's new name to the disk, where the file system can.
void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

/// For a file whose lock is held already. Nothing of raw data waits in HDF5's buffers: what a call
/// has written is with the kernel.
Properties access_list(const std::string& failing) {
  Properties list(H5Pcreate(H5P_FILE_ACCESS), failing);
  H5Pset_file_locking(list.id(), false, true);
  H5Pset_sieve_buf_size(list.id(), 0);
  limit_metadata(list);
  return list;
}

}  // namespace

OutputFile::OutputFile(FilePath path, Existing existing, Start start)
    : m_path(std::move(path)), m_existing(existing), m_part(m_path.file + ".part") {
  if (m_path.dataset.size() < 2 || m_path.dataset.back() == '/') {
    throw Error(to_string(m_path), "no dataset named", "FILE:/dataset");
  }
  std::error_code status;
  const std::string folder = folder_of(m_path.file);
  if (!std::filesystem::is_directory(folder, status)) {
    throw Error(m_path.file, "no folder " + folder, "an existing folder");
  }
  if (std::filesystem::is_directory(m_path.file, status)) {
    throw Error(m_path.file, "a folder", "the name of a file");
  }
  // What is renamed onto a device or a pipe would take its place.
  if (std::filesystem::exists(m_path.file, status) &&
      !std::filesystem::is_regular_file(m_path.file, status)) {
    throw Error(m_path.file, "no regular file", "the name of a file");
  }
  if (start == Start::anew) require_free();
  if (access(folder.c_str(), W_OK) != 0) {
    throw Error(m_part + ": cannot be written: " + std::strerror(errno));
  }
}

void OutputFile::require_free() const {
  std::error_code status;
  if (m_existing == Existing::refuse && std::filesystem::exists(m_path.file, status)) {
    throw Error(m_path.file, "an existing file",
                "a new name, or to replace the file or to append to it where that is meant");
  }
}

bool OutputFile::lock(int flags) {
  stream::Descriptor opened(::open(m_part.c_str(), O_RDWR | O_CLOEXEC | flags, 0666));
  if (!opened.is_open()) {
    if (errno == ENOENT && (flags & O_CREAT) == 0) return false;
    throw Error(failing() + ": " + std::strerror(errno));
  }
  struct stat mine = {};
  struct stat named = {};
  const bool is_locked = flock(opened.number(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
  const bool is_named = fstat(opened.number(), &mine) == 0 && stat(m_part.c_str(), &named) == 0 &&
                        mine.st_ino == named.st_ino;
  if (!is_locked || !is_named) {
    throw Error(m_part, "a file that another run is writing", "one run at a time");
  }
  m_descriptor = std::move(opened);
  return true;
}

void OutputFile::open() {
  const Call call;
  if (!m_descriptor.is_open()) lock(O_CREAT);
  if (const std::string beside = m_path.file + ".part.new"; beside != m_part) {
    unlink(beside.c_str());  // a killed run's, which would have become FILE.part
  }
  make();
}

bool OutputFile::take() { return lock(0); }

void OutputFile::open_taken() {
  const Call call;
  const Properties list = access_list(failing());
  hbool_t clear = true;  // what a killed run may leave in files of later formats, as h5clear does
  if (H5Pexist(list.id(), "clear_status_flags") > 0) {
    H5Pset(list.id(), "clear_status_flags", &clear);
  }
  m_file = File(H5Fopen(m_part.c_str(), H5F_ACC_RDWR, list.id()), failing());
}

stream::Descriptor OutputFile::open_anew() {
  stream::Descriptor taken = std::move(m_descriptor);
  m_descriptor = {};
  m_part = m_path.file + ".part.new";
  open();
  return taken;
}

void OutputFile::settle() {
  const std::string part = m_path.file + ".part";
  if (std::rename(m_part.c_str(), part.c_str()) != 0) {
    throw Error(m_part + ": cannot be renamed to " + part + ": " + std::strerror(errno));
  }
  m_part = part;
}

std::optional<std::int64_t> OutputFile::set_aside(std::int64_t bytes) const {
  constexpr haddr_t step = 4096;
  const Call call;
  const Properties creation(H5Fget_create_plist(m_file.id()), failing());
  hsize_t user_block = 0;
  check(H5Pget_userblock(creation.id(), &user_block), failing());
  if (user_block > 0) return std::nullopt;
  check(H5Fflush(m_file.id(), H5F_SCOPE_GLOBAL), failing());
  haddr_t end = 0;
  check(H5Fget_eoa(m_file.id(), &end), failing());
  const haddr_t begin = (end + step - 1) / step * step;
  check(H5Fincrement_filesize(m_file.id(), begin - end + static_cast<hsize_t>(bytes)), failing());
  haddr_t behind = 0;
  check(H5Fget_eoa(m_file.id(), &behind), failing());
  if (behind != begin + static_cast<haddr_t>(bytes)) return std::nullopt;
  return static_cast<std::int64_t>(begin);
}

void OutputFile::make() {
  const Properties list = access_list(failing());
  const bool appends = m_existing == Existing::append && std::filesystem::exists(m_path.file);
  if (!appends) {
    m_file = File(H5Fcreate(m_part.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, list.id()), failing());
    return;
  }
  open_file(m_path.file);  // says why, where it is no HDF5 file
  copy_existing();
  m_file = File(H5Fopen(m_part.c_str(), H5F_ACC_RDWR, list.id()), failing());
  if (exists(m_file.id(), m_path.dataset)) {
    throw Error(to_string(m_path), "an existing dataset", "a name that the file does not hold");
  }
}

void OutputFile::copy_existing() const {
  std::error_code status;
  std::filesystem::copy_file(m_path.file, m_part, std::filesystem::copy_options::overwrite_existing,
                             status);
  if (status) throw Error(m_part + ": cannot copy " + m_path.file + ": " + status.message());
}

/// Tries whether the file may grow by a dataset: HDF5 does not get over it where it may not.
void OutputFile::require_growth(const NewDataset& wanted) const {
  auto bytes = static_cast<std::int64_t>(H5Tget_size(wanted.file_type));
  for (std::size_t i = 0; i < wanted.extents.size(); ++i) {
    const std::int64_t step = wanted.chunk.empty() ? 1 : wanted.chunk[i];
    bytes *= (wanted.extents[i] + step - 1) / step * step;
  }
  struct stat now = {};
  if (fstat(m_descriptor.number(), &now) != 0 ||
      ftruncate(m_descriptor.number(), now.st_size + bytes) != 0 ||
      ftruncate(m_descriptor.number(), now.st_size) != 0) {
    throw Error(failing() + ": " + std::strerror(errno));
  }
}

Dataset OutputFile::create(const NewDataset& wanted) const {
  const Properties links(H5Pcreate(H5P_LINK_CREATE), failing());
  H5Pset_create_intermediate_group(links.id(), 1);
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE), failing());
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(creation.id(), false);  // the same run gives the same bytes
  if (wanted.filter.compression == Compression::none) {
    // All space at once: from then on only values are written, and the file stays sound.
    H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY);
    require_growth(wanted);
  }
  const Properties access(H5Pcreate(H5P_DATASET_ACCESS), failing());
  const int rank = static_cast<int>(wanted.extents.size());
  std::vector<hsize_t> extents(wanted.extents.begin(), wanted.extents.end());
  std::vector<hsize_t> most = extents;
  if (!wanted.chunk.empty()) {
    const std::vector<hsize_t> chunk(wanted.chunk.begin(), wanted.chunk.end());
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], chunk[i]);
    check(H5Pset_chunk(creation.id(), rank, chunk.data()), "chunk of " + wanted.path);
    if (wanted.filter.compression == Compression::shuffle_deflate) H5Pset_shuffle(creation.id());
    if (wanted.filter.compression != Compression::none) {
      check(H5Pset_deflate(creation.id(), static_cast<unsigned>(wanted.filter.level)),
            "filter of " + wanted.path);
    }
    H5Pset_chunk_cache(access.id(), 1009, static_cast<std::size_t>(wanted.cache_bytes),
                       whole_chunks_first);
  }
  const Space space(H5Screate_simple(rank, extents.data(), most.data()), failing());
  return {H5Dcreate2(m_file.id(), wanted.path.c_str(), wanted.file_type, space.id(), links.id(),
                     creation.id(), access.id()),
          failing() + ": " + wanted.path};
}

void OutputFile::commit() {
  const Call call;
  check(H5Fflush(m_file.id(), H5F_SCOPE_GLOBAL), failing());
  m_file.close_now(failing());
  if (fsync(m_descriptor.number()) != 0) throw Error(failing() + ": " + std::strerror(errno));
  std::error_code status;
  if (m_existing == Existing::refuse && std::filesystem::exists(m_path.file, status)) {
    throw Error(m_path.file, "a file that came into being meanwhile", "a new name");
  }
  if (std::rename(m_part.c_str(), m_path.file.c_str()) != 0) {
    throw Error(m_part + ": cannot be renamed to " + m_path.file + ": " + std::strerror(errno));
  }
  m_descriptor.close_now();
  sync_folder(folder_of(m_path.file));
}

void OutputFile::leave() noexcept {
  m_file = File();
  m_descriptor.close_now();
}

void OutputFile::abandon() noexcept {
  m_file = File();
  if (m_descriptor.is_open()) unlink(m_part.c_str());
  m_descriptor.close_now();
}

void write_box(const Dataset& dataset, hid_t memory_type, const std::vector<std::int64_t>& start,
               const std::vector<std::int64_t>& count, const void* values,
               const std::string& failing) {
  const Space in_file(H5Dget_space(dataset.id()), failing);
  const std::vector<hsize_t> first(start.begin(), start.end());
  const std::vector<hsize_t> number(count.begin(), count.end());
  check(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, first.data(), nullptr, number.data(),
                            nullptr),
        failing);
  const Space in_memory(H5Screate_simple(static_cast<int>(number.size()), number.data(), nullptr),
                        failing);
  check(H5Dwrite(dataset.id(), memory_type, in_memory.id(), in_file.id(), H5P_DEFAULT, values),
        failing);
}

}  // namespace synelix::h5
