// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/objects/output_file.hpp"

#include "hdf5/objects/h5_file.hpp"
#include "hdf5/objects/known_options.hpp"
#include "hdf5/shares/ledger.hpp"
#include "part_files/records.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <sys/statvfs.h>
#include <unistd.h>

namespace synelix {
namespace h5 {
namespace {

/// Access to a file whose lock is already held. HDF5 buffers no raw data: after a call, data are
/// with the kernel.
Properties output_access(const std::string& failing) {
  Properties list(H5Pcreate(H5P_FILE_ACCESS), failing);
  H5Pset_file_locking(list.id(), false, true);
  H5Pset_sieve_buf_size(list.id(), 0);
  limit_metadata(list);
  return list;
}

}  // namespace

std::string behind_link(const std::string& file) {
  std::error_code status;
  if (!std::filesystem::is_symlink(file, status)) return file;
  const std::filesystem::path target = std::filesystem::canonical(file, status);
  if (!status && !std::filesystem::is_regular_file(target)) {
    throw FileError(
        file, "this is a symbolic link to " + target.string() + ", which is not a regular file",
        "Give the name of a file");
  }
  if (!status) return target.string();
  throw FileError(file, "this is a symbolic link that leads to no file: " + status.message(),
                  "Mend the link, or choose another name for the output");
}

OutputFile::OutputFile(FilePath path, Existing existing, Start start)
    : m_path{behind_link(path.file), std::move(path.dataset)},
      m_existing(existing),
      m_part(m_path.file + ".part", m_path.file) {
  require_known("existing", existing);
  require_known("start", start);
  if (m_path.dataset.size() < 2 || m_path.dataset.back() == '/') {
    throw FileError(to_string(m_path), "no dataset is named", "Give FILE:/dataset");
  }
  std::error_code status;
  const std::string folder = stream::folder_of(m_path.file);
  if (!std::filesystem::is_directory(folder, status)) {
    throw FileError(m_path.file, "there is no folder " + folder,
                    "Make the folder, or give one that exists");
  }
  if (std::filesystem::is_directory(m_path.file, status)) {
    throw FileError(m_path.file, "this is a folder", "Give the name of a file");
  }
  // A rename would replace a device or a pipe.
  if (stream::file_exists(m_path.file) && !std::filesystem::is_regular_file(m_path.file, status)) {
    throw FileError(m_path.file, "this is not a regular file", "Give the name of a file");
  }
  if (start == Start::anew) require_free();
  // A finished output needs no disk space, so a run that may be resumed checks this later.
  if (start == Start::anew && access(folder.c_str(), W_OK) != 0) {
    throw FileError(failing() + ": " + std::strerror(errno));
  }
}

void OutputFile::require_free() const {
  if (m_existing == Existing::refuse && stream::file_exists(m_path.file)) {
    throw FileError(
        m_path.file, "this is an existing file",
        "Give a new name, replace the file (--overwrite, -O; Existing::replace), or append "
        "to it (--append; Existing::append)",
        Remedy::append_to_file);
  }
}

void OutputFile::open() {
  const Call call;
  const std::string beside = m_path.file + ".part.new";
  if (beside != m_part.name()) {  // left by a killed run before it was renamed to FILE.part
    stream::PartFile(beside, m_path.file).remove_left_over();
  }
  m_part.open();
  refuse_parts();
  make();
}

/// A file that several processes write together is begun anew only after the user has removed it.
void OutputFile::refuse_parts() {
  if (m_part.name() != m_path.file + ".part" || m_part.is_empty()) return;
  try {
    stream::Ledger::refuse(descriptor(), m_part.name());
  } catch (...) {
    m_part.close();
    throw;
  }
}

bool OutputFile::take() { return m_part.take(); }

/// Opens FILE.part with HDF5. If the file system has only one kind of lock, as NFS has, the lock
/// that HDF5_USE_FILE_LOCKING may request conflicts with ours, and replaces it.
File OutputFile::opened_by_hdf5(const Properties& list, bool is_new) {
  const auto open_or_make = [&] {
    const stream::OccupiedStreams occupied;
    return is_new ? H5Fcreate(m_part.name().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, list.id())
                  : H5Fopen(m_part.name().c_str(), H5F_ACC_RDWR, list.id());
  };
  hid_t id = open_or_make();
  if (id < 0 && is_lock_failure()) {
    m_part.unlock();
    m_has_unlocked = true;
    id = open_or_make();
  }
  File file(id, failing());
  m_part.require_whole();  // HDF5 may have opened another file by this name
  return file;
}

void OutputFile::open_taken() {
  const Call call;
  const Properties list = output_access(failing());
  hbool_t clear = true;  // clears flags that a killed run may leave in files of later formats, as
                         // h5clear does
  if (H5Pexist(list.id(), "clear_status_flags") > 0) {
    H5Pset(list.id(), "clear_status_flags", &clear);
  }
  note_base();
  m_part.open();
  m_file = opened_by_hdf5(list, false);
}

stream::Descriptor OutputFile::open_anew() {
  stream::Descriptor taken = m_part.release();
  m_taken = taken.number();
  m_part = stream::PartFile(m_path.file + ".part.new", m_path.file);
  open();
  return taken;
}

void OutputFile::settle() { m_part.rename_over(m_path.file + ".part", m_taken); }

bool OutputFile::settle_where_free() { return m_part.take_free_name(m_path.file + ".part"); }

/// Bytes before the addresses of HDF5.
std::int64_t OutputFile::user_block() const {
  const Properties creation(H5Fget_create_plist(m_file.id()), failing());
  hsize_t bytes = 0;
  check(H5Pget_userblock(creation.id(), &bytes), failing());
  return static_cast<std::int64_t>(bytes);
}

/// The end of the addresses that HDF5 uses.
std::int64_t OutputFile::end_of_addresses() const {
  haddr_t end = 0;
  check(H5Fget_eoa(m_file.id(), &end), failing());
  return static_cast<std::int64_t>(end);
}

std::optional<std::int64_t> OutputFile::set_aside(std::int64_t bytes) const {
  const Call call;
  if (user_block() > 0) return std::nullopt;
  flush();
  const std::int64_t end = end_of_addresses();
  const std::int64_t begin = stream::whole_pages(end);
  check(H5Fincrement_filesize(m_file.id(), static_cast<hsize_t>(begin - end + bytes)), failing());
  if (end_of_addresses() != begin + bytes) return std::nullopt;
  return begin;
}

/// Reserves the place of the mark, which is in the file or is written next.
void OutputFile::keep_mark(std::int64_t address) {
  constexpr std::int64_t bytes = stream::PartFile::mark_bytes;
  const auto now = stream::state_of(descriptor());
  if (!now) throw FileError(failing() + ": " + std::strerror(errno));
  const std::int64_t begin =
      std::max<std::int64_t>(user_block() + end_of_addresses(), now->st_size);
  check(H5Fincrement_filesize(m_file.id(), static_cast<hsize_t>(address + bytes - begin)),
        failing());
}

void OutputFile::make() {
  const Properties list = output_access(failing());
  if (m_alignment > 0) {
    constexpr hsize_t large = hsize_t{1} << 16;  // below this size, a partly used page does not
                                                 // matter
    check(H5Pset_alignment(list.id(), large, static_cast<hsize_t>(m_alignment)), failing());
  }
  if (m_existing == Existing::append && std::filesystem::exists(m_path.file)) {
    return make_copy(list);
  }
  m_part.clear();
  m_file = opened_by_hdf5(list, true);
  const std::int64_t address = stream::whole_pages(end_of_addresses());
  keep_mark(address);
  m_part.mark(address);
}

/// The mark is written first, so that an interrupted copy is recognized.
void OutputFile::make_copy(const Properties& list) {
  open_file(m_path.file);  // throws if it is no HDF5 file
  note_base();
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(m_path.file));
  const std::int64_t address = stream::whole_pages(bytes);
  m_part.clear();
  m_part.mark(address);
  m_part.copy_from(m_path.file);
  require_base();
  m_file = opened_by_hdf5(list, false);
  keep_mark(address);
  if (exists(m_file.id(), m_path.dataset)) {
    throw FileError(to_string(m_path), "this is an existing dataset",
                    "Give a name that the file does not hold");
  }
}

void OutputFile::note_base() {
  m_base.reset();
  if (m_existing == Existing::append && stream::file_exists(m_path.file)) {
    m_base = fingerprint_of_file(m_path.file);
  }
}

/// Throws if FILE, which is to be appended to, has changed since it was copied: the copy lacks the
/// change.
void OutputFile::require_base() const {
  if (!m_base) return;
  if (stream::file_exists(m_path.file) && fingerprint_of_file(m_path.file) == *m_base) return;
  throw FileError(m_path.file, "the file has changed since this run copied it",
                  "Begin anew, and let nothing else write the file while a run appends to it");
}

/// Tests whether the file may grow by a dataset: HDF5 cannot recover from a failed extension.
void OutputFile::require_growth(const NewDataset& wanted) const {
  auto bytes = static_cast<std::int64_t>(H5Tget_size(wanted.file_type));
  for (std::size_t i = 0; i < wanted.extents.size(); ++i) {
    const std::int64_t step = wanted.chunk.empty() ? 1 : wanted.chunk[i];
    bytes *= (wanted.extents[i] + step - 1) / step * step;
  }
  const auto now = stream::state_of(descriptor());
  if (!now ||
      stream::finished([&] { return ftruncate(descriptor(), now->st_size + bytes); }) != 0 ||
      stream::finished([&] { return ftruncate(descriptor(), now->st_size); }) != 0) {
    throw FileError(failing() + ": " + std::strerror(errno));
  }
  struct statvfs disk = {};
  if (fstatvfs(descriptor(), &disk) != 0 || disk.f_blocks == 0) return;
  const auto free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  if (static_cast<double>(bytes) > free) {
    throw FileError(failing() + ": " + wanted.path + " takes " + std::to_string(bytes) +
                    " bytes, but its disk has " + std::to_string(static_cast<std::int64_t>(free)) +
                    " free. Free disk space, or write to another one.");
  }
}

Dataset OutputFile::create_contiguous(const std::string& path, hid_t file_type,
                                      const std::vector<std::int64_t>& extents) const {
  return create({.path = path, .file_type = file_type, .extents = extents});
}

Dataset OutputFile::write_contiguous(const std::string& path, hid_t file_type, hid_t memory_type,
                                     const std::vector<std::int64_t>& extents,
                                     const void* values) const {
  Dataset dataset = create_contiguous(path, file_type, extents);
  write_all(dataset, memory_type, values, failing());
  return dataset;
}

Dataset OutputFile::create(const NewDataset& wanted) const {
  const Properties links(H5Pcreate(H5P_LINK_CREATE), failing());
  H5Pset_create_intermediate_group(links.id(), 1);
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE), failing());
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(creation.id(), false);  // so that equal runs write equal bytes
  if (wanted.filter.compression == Compression::none) {
    // Allocates all space at once: afterwards only values are written, so the file stays valid.
    H5Pset_alloc_time(creation.id(), H5D_ALLOC_TIME_EARLY);
    require_growth(wanted);
  }
  const Properties access(H5Pcreate(H5P_DATASET_ACCESS), failing());
  const int rank = static_cast<int>(wanted.extents.size());
  const std::vector<hsize_t> extents = sizes_from(wanted.extents);
  std::vector<hsize_t> most = extents;
  if (!wanted.chunk.empty()) {
    const std::vector<hsize_t> chunk = sizes_from(wanted.chunk);
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

void OutputFile::commit(const std::function<void()>& note_end) {
  const Call call;
  m_part.require_whole();
  require_base();
  close_file();
  const bool may_replace = m_existing == Existing::replace || m_base;
  if (note_end) note_end();
  m_part.publish(may_replace);
}

void OutputFile::flush() const { check(H5Fflush(m_file.id(), H5F_SCOPE_GLOBAL), failing()); }

void OutputFile::close_file() {
  const Call call;
  flush();
  m_file.close_now(failing());
  if (std::exchange(m_has_unlocked, false)) m_part.lock();
  m_part.note_length();  // HDF5 has set it when it closed the file
}

void OutputFile::keep_part() noexcept {
  m_file = File();
  m_part.close();
}

void OutputFile::abandon() noexcept {
  m_file = File();
  m_part.remove();
}

}  // namespace h5

std::optional<std::string> unfinished_output(const std::string& file) {
  const std::string output = h5::behind_link(file);
  stream::PartFile part(output + ".part", output);
  if (!part.is_left_over()) return std::nullopt;
  return part.name();
}

}  // namespace synelix
