// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/sink/checkpoint.hpp"

#include "part_files/descriptor.hpp"
#include "part_files/part_file.hpp"
#include "part_files/records.hpp"

#include <synelix/error.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

namespace synelix::stream {
namespace {

constexpr RecordFormat checkpoint_format{
    "Synelix resume 2", "checkpoint",
    "End the run with the version of synelix that began it; or start a run without "
    "resume, which begins anew and replaces this file"};
constexpr int slots = 4;  ///< 0 and 1 are valid while the kernel runs, 2 and 3 always
constexpr const char* run_anew =
    "Remove this file, or start a run without resume, which begins anew and replaces it";

struct CheckpointHead {
  std::array<char, checkpoint_format.name.size()> name = {};
  std::uint64_t checksum = 0;  ///< of the following members, and of the text after the record
  std::int64_t text_bytes = 0;
  std::int64_t table_bytes = 0;
};

/// The checksum of HDF5's own records, after they are complete.
struct CheckpointFrame {
  std::uint64_t checksum = 0;  ///< of the following members
  std::uint64_t sum = 0;
  std::int64_t file_bytes = 0;  ///< when the run began
};

struct CheckpointSlot {
  std::uint64_t checksum = 0;  ///< of the following members
  std::uint64_t sequence = 0;
  std::uint64_t boot = 0;  ///< of the kernel that received this; or on_disk
  std::int64_t blocks = 0;
  std::int64_t count = 0;
  std::array<Block, Checkpoint::most_boxes> boxes = {};
};
static_assert(sizeof(CheckpointSlot) <= page_bytes && page_bytes == Checkpoint::alignment);

std::int64_t head_bytes(std::size_t text_bytes) {
  return whole_pages(static_cast<std::int64_t>(sizeof(CheckpointHead) + text_bytes));
}

bool is_zero(std::string_view bytes) { return bytes.find_first_not_of('\0') == bytes.npos; }

/// Whether all bytes of a file after an address are zero.
bool is_zero_from(int descriptor, std::int64_t address) {
  std::string part(std::size_t{1} << 16, '\0');
  for (;; address += static_cast<std::int64_t>(part.size())) {
    const std::int64_t bytes = read_up_to(descriptor, address, part.data(), part.size());
    if (bytes < 0) return false;
    if (!is_zero(std::string_view(part).substr(0, static_cast<std::size_t>(bytes)))) return false;
    if (bytes < static_cast<std::int64_t>(part.size())) return true;
  }
}

/// Whether a run was killed during the first write of a head: its text is cut, and nothing follows.
bool is_torn(int descriptor, std::int64_t address) {
  std::string part(static_cast<std::size_t>(page_bytes), '\0');
  std::int64_t at = address + static_cast<std::int64_t>(sizeof(CheckpointHead));
  for (;; at += page_bytes) {
    const std::int64_t bytes = read_up_to(descriptor, at, part.data(), part.size());
    if (bytes <= 0) return bytes == 0;
    const auto end = std::string_view(part).substr(0, static_cast<std::size_t>(bytes)).find('\0');
    if (end != std::string::npos) {
      return is_zero_from(descriptor, at + static_cast<std::int64_t>(end));
    }
  }
}

}  // namespace

Checkpoint::Checkpoint(int descriptor, std::int64_t address, std::string name, std::string text,
                       std::int64_t table_bytes)
    : m_descriptor(descriptor),
      m_address(address),
      m_name(std::move(name)),
      m_text(std::move(text)),
      m_table_bytes(table_bytes),
      m_boot(boot_of_kernel()) {}

std::int64_t Checkpoint::bytes_for(const std::string& text, std::int64_t table_bytes) {
  return head_bytes(text.size()) + page_bytes + slots * page_bytes + whole_pages(table_bytes);
}

Range Checkpoint::range() const {
  return {m_address, m_address + bytes_for(m_text, m_table_bytes)};
}

std::int64_t Checkpoint::frame_address() const { return m_address + head_bytes(m_text.size()); }

std::int64_t Checkpoint::slot_address(int slot) const {
  return frame_address() + page_bytes + slot * page_bytes;
}

std::optional<Checkpoint> Checkpoint::find(int descriptor, std::int64_t address,
                                           const std::string& name) {
  auto found = find_head<CheckpointHead>(descriptor, address, name, checkpoint_format);
  if (!found) return std::nullopt;
  if (found->is_sound) {
    Checkpoint whole(descriptor, found->address, name, std::move(found->text),
                     found->head.table_bytes);
    whole.read_frame();
    return whole;
  }
  const std::int64_t text_bytes = found->head.text_bytes;
  if (text_bytes >= 0 && text_bytes <= most_text_bytes && is_torn(descriptor, found->address)) {
    return Checkpoint(descriptor, found->address, name, std::string(), 0);
  }
  throw FileError(name, "its damaged checkpoint has a head that does not match its checksum",
                  run_anew);
}

void Checkpoint::read_frame() {
  CheckpointFrame frame;
  if (!read_at(m_descriptor, frame_address(), &frame, sizeof(frame))) return;
  if (frame.checksum != checksum_of_record(frame)) return;
  m_frame = frame.sum;
  m_file_bytes = frame.file_bytes;
}

Checkpoint Checkpoint::make(int descriptor, std::int64_t address, const std::string& name,
                            const std::string& text, std::int64_t table_bytes,
                            const Advance& advance) {
  Checkpoint made(descriptor, address, name, text, table_bytes);
  CheckpointHead head;
  head.table_bytes = table_bytes;
  const std::string whole =
      bytes_of_head(head, checkpoint_format.name, text, sizeof(head) + text.size());
  write_at(descriptor, address, whole.data(), whole.size(), name);
  // Also written if the file was longer before: no data of another run may stay.
  const std::int64_t bytes = made.range().end - made.frame_address();
  const std::string nothing(static_cast<std::size_t>(std::min(bytes, std::int64_t{1} << 20)), '\0');
  for (std::int64_t done = 0; done < bytes;) {
    const std::int64_t part = std::min(bytes - done, static_cast<std::int64_t>(nothing.size()));
    write_at(descriptor, made.frame_address() + done, nothing.data(),
             static_cast<std::size_t>(part), name);
    done += part;
  }
  made.save(advance);
  return made;
}

void Checkpoint::confirm(std::int64_t file_bytes, std::uint64_t frame) {
  CheckpointFrame record;
  record.sum = frame;
  record.file_bytes = file_bytes;
  record.checksum = checksum_of_record(record);
  write_at(m_descriptor, frame_address(), &record, sizeof(record), m_name);
  m_frame = frame;
  m_file_bytes = file_bytes;
}

std::optional<Advance> Checkpoint::load() {
  std::optional<Advance> latest;
  std::uint64_t latest_sequence = 0;
  std::array<std::uint64_t, slots> sequences = {};
  bool is_any_whole = false;
  for (int i = 0; i < slots; ++i) {
    CheckpointSlot slot;
    if (!read_at(m_descriptor, slot_address(i), &slot, sizeof(slot))) continue;
    if (slot.checksum != checksum_of_record(slot) || slot.count < 0 || slot.count > most_boxes) {
      continue;
    }
    is_any_whole = true;
    sequences[static_cast<std::size_t>(i)] = slot.sequence;
    m_sequence = std::max(m_sequence, slot.sequence);
    if (slot.boot == on_disk) m_blocks_on_disk = std::max(m_blocks_on_disk, slot.blocks);
    // No slot has a boot id of 0: if the system reports none, all slots are on the disk.
    const bool counts = slot.boot == on_disk || slot.boot == m_boot;
    if (!counts || slot.sequence < latest_sequence) continue;
    latest = Advance{.unwritten = {slot.boxes.begin(), slot.boxes.begin() + slot.count},
                     .blocks = slot.blocks};
    latest_sequence = slot.sequence;
  }
  if (!is_any_whole) {
    throw FileError(m_name, "in its damaged checkpoint, no record of the advance is whole",
                    run_anew);
  }
  m_last_recent = sequences[0] > sequences[1] ? 0 : 1;
  m_last_on_disk = sequences[2] > sequences[3] ? 2 : 3;
  if (latest) m_blocks_noted = latest->blocks;
  return latest;
}

void Checkpoint::write_slot(int& last, std::uint64_t boot, const Advance& advance) {
  CheckpointSlot slot;
  slot.blocks = advance.blocks;
  slot.count = static_cast<std::int64_t>(advance.unwritten.size());
  std::copy(advance.unwritten.begin(), advance.unwritten.end(), slot.boxes.begin());
  slot.sequence = ++m_sequence;
  slot.boot = boot;
  slot.checksum = checksum_of_record(slot);
  const int next = last ^ 1;  // never overwrites the last one
  write_at(m_descriptor, slot_address(next), &slot, sizeof(slot), m_name);
  last = next;
}

void Checkpoint::save(const Advance& advance) {
  if (m_boot == 0) return save_to_disk(advance);
  write_slot(m_last_recent, m_boot, advance);
  m_blocks_noted = advance.blocks;
}

void Checkpoint::save_to_disk(const Advance& advance) {
  sync_data(m_descriptor, m_name);
  write_slot(m_last_on_disk, on_disk, advance);
  sync_data(m_descriptor, m_name);
  m_blocks_noted = advance.blocks;
  m_blocks_on_disk = advance.blocks;
}

void Checkpoint::restore_length() const {
  const auto now = state_of(m_descriptor);
  if (!now || now->st_size >= m_file_bytes) return;
  if (finished([&] { return ftruncate(m_descriptor, m_file_bytes); }) != 0) {
    throw FileError(m_name + ": cannot be written: " + std::strerror(errno));
  }
}

void Checkpoint::write_table(std::int64_t offset, const void* from, std::size_t bytes) const {
  write_at(m_descriptor, slot_address(slots) + offset, from, bytes, m_name);
}

void Checkpoint::read_table(std::int64_t offset, void* to, std::size_t bytes) const {
  if (!read_at(m_descriptor, slot_address(slots) + offset, to, bytes)) {
    throw FileError(m_name, "the table of its checkpoint cannot be read", run_anew);
  }
}

std::optional<std::string> checkpoint_text(const std::string& file, std::int64_t address) {
  const Descriptor opened = opened_to_read(file, O_NOFOLLOW);
  if (!opened.is_open()) return std::nullopt;
  try {
    const auto found = Checkpoint::find(opened.number(), address, file);
    return found ? std::optional(found->text()) : std::nullopt;
  } catch (const Error&) {  // the caller that resumes the file reports its fault
    return std::nullopt;
  }
}

bool holds_nothing_yet(int descriptor, const std::string& copied) {
  const Descriptor original = copied.empty() ? Descriptor() : opened_to_read(copied);
  std::string here;
  std::string there;
  for (std::int64_t at = page_bytes;; at += page_bytes) {  // HDF5's first records may differ
    here.assign(static_cast<std::size_t>(page_bytes), '\0');
    const std::int64_t bytes = read_up_to(descriptor, at, here.data(), here.size());
    if (bytes <= 0) return bytes == 0;
    here.resize(static_cast<std::size_t>(bytes));
    if (here.starts_with(PartFile::mark_name)) {
      constexpr auto mark_bytes = static_cast<std::size_t>(PartFile::mark_bytes);
      here.erase(0, std::min(mark_bytes, here.size()));
    }
    if (is_zero(here)) continue;
    there.assign(here.size(), '\0');
    if (!original.is_open()) return false;
    // The last page, and a page that is being copied, may be incomplete.
    [[maybe_unused]] const bool is_whole =
        read_at(original.number(), at, there.data(), there.size());
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (here[i] != '\0' && here[i] != there[i]) return false;
    }
  }
}

}  // namespace synelix::stream
