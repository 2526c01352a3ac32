// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/checkpoint.hpp"

#include "stream/checksum.hpp"

#include <synelix/error.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <utility>

namespace synelix::stream {
namespace {

constexpr std::array<char, 16> magic = {'S', 'y', 'n', 'e', 'l', 'i', 'x', ' ',
                                        'r', 'e', 's', 'u', 'm', 'e', ' ', '1'};
constexpr std::int64_t slot_bytes = Checkpoint::alignment;
constexpr int slots = 4;  ///< 0 and 1 count while the kernel runs, 2 and 3 always
constexpr std::uint64_t on_disk = ~std::uint64_t{0};
constexpr std::int64_t boxes_in_slot = 80;
/// How many places `find` looks at: HDF5's own beginnings of a file take the first.
constexpr std::int64_t places = 1024;

struct Head {
  std::array<char, 16> name = magic;
  std::uint64_t checksum = 0;  ///< of the text
  std::uint64_t text_bytes = 0;
  std::int64_t file_bytes = 0;  ///< when the run began
};

struct Slot {
  std::uint64_t checksum = 0;  ///< of what follows
  std::uint64_t sequence = 0;
  std::uint64_t boot = 0;  ///< of the kernel that this was given to; or on_disk
  std::int64_t blocks = 0;
  std::int64_t count = 0;
  std::array<std::int64_t, 6 * boxes_in_slot> boxes = {};
};
static_assert(sizeof(Slot) <= slot_bytes);

std::uint64_t checksum_of_slot(const Slot& slot) {
  return Checksum().add(&slot.sequence, sizeof(Slot) - offsetof(Slot, sequence)).value();
}

std::int64_t head_bytes(std::size_t text_bytes) {
  const auto bytes = static_cast<std::int64_t>(sizeof(Head) + text_bytes);
  return (bytes + Checkpoint::alignment - 1) / Checkpoint::alignment * Checkpoint::alignment;
}

bool read_at(int descriptor, std::int64_t address, void* to, std::size_t bytes) {
  auto* next = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t got = pread(descriptor, next, bytes, address);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    address += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

void write_at(int descriptor, std::int64_t address, const void* from, std::size_t bytes,
              const std::string& name) {
  const auto* next = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t done = pwrite(descriptor, next, bytes, address);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) throw Error(name + ": cannot be written: " + std::strerror(errno));
    next += done;
    address += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void sync(int descriptor, const std::string& name) {
  if (fdatasync(descriptor) != 0) {
    throw Error(name + ": cannot be brought to the disk: " + std::strerror(errno));
  }
}

/// Tells one run of a kernel from the next; 0 where the system does not say.
std::uint64_t boot_of_kernel() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  return std::getline(file, text) && !text.empty() ? checksum_of(text) : 0;
}

Advance advance_of(const Slot& slot) {
  Advance advance{.unwritten = {}, .blocks = slot.blocks};
  for (std::int64_t i = 0; i < slot.count; ++i) {
    const auto* box = slot.boxes.data() + 6 * i;
    advance.unwritten.push_back({{box[0], box[1]}, {box[2], box[3]}, {box[4], box[5]}});
  }
  return advance;
}

}  // namespace

Checkpoint::Checkpoint(int descriptor, std::int64_t address, std::string name, std::string text)
    : m_descriptor(descriptor),
      m_address(address),
      m_name(std::move(name)),
      m_text(std::move(text)),
      m_boot(boot_of_kernel()) {}

std::int64_t Checkpoint::bytes_for(const std::string& text, std::int64_t chunks) {
  const std::int64_t table = chunks * static_cast<std::int64_t>(sizeof(StoredChunk));
  return head_bytes(text.size()) + slots * slot_bytes +
         (table + alignment - 1) / alignment * alignment;
}

std::int64_t Checkpoint::slot_address(int slot) const {
  return m_address + head_bytes(m_text.size()) + slot * slot_bytes;
}

bool Checkpoint::has_room(const Advance& advance) {
  return static_cast<std::int64_t>(advance.unwritten.size()) <= boxes_in_slot;
}

std::optional<Checkpoint> Checkpoint::find(int descriptor, std::int64_t address,
                                           const std::string& name) {
  address = address / alignment * alignment;
  for (std::int64_t i = 0; i < places; ++i, address += alignment) {
    Head head;
    if (!read_at(descriptor, address, &head, sizeof(head))) return std::nullopt;
    constexpr std::uint64_t most = 1 << 24;
    if (head.name != magic || head.text_bytes > most) continue;
    std::string text(head.text_bytes, '\0');
    if (!read_at(descriptor, address + static_cast<std::int64_t>(sizeof(head)), text.data(),
                 text.size()) ||
        checksum_of(text) != head.checksum) {
      continue;
    }
    Checkpoint found(descriptor, address, name, std::move(text));
    found.m_file_bytes = head.file_bytes;
    return found;
  }
  return std::nullopt;
}

Checkpoint Checkpoint::make(int descriptor, std::int64_t address, const std::string& name,
                            const std::string& text, std::int64_t chunks, const Advance& advance) {
  Checkpoint made(descriptor, address, name, text);
  const std::int64_t bytes = bytes_for(text, chunks);
  // Also where the file was longer before: nothing of another run may stay.
  const std::string nothing(static_cast<std::size_t>(std::min(bytes, std::int64_t{1} << 20)), '\0');
  for (std::int64_t done = 0; done < bytes;) {
    const std::int64_t part = std::min(bytes - done, static_cast<std::int64_t>(nothing.size()));
    write_at(descriptor, address + done, nothing.data(), static_cast<std::size_t>(part), name);
    done += part;
  }
  made.save(advance);
  Head head;
  head.checksum = checksum_of(text);
  head.text_bytes = text.size();
  struct stat now = {};
  if (fstat(descriptor, &now) == 0) head.file_bytes = now.st_size;
  std::string whole(sizeof(head) + text.size(), '\0');
  std::memcpy(whole.data(), &head, sizeof(head));
  std::memcpy(whole.data() + sizeof(head), text.data(), text.size());
  write_at(descriptor, address, whole.data(), whole.size(), name);
  return made;
}

std::optional<Advance> Checkpoint::load() {
  std::optional<Advance> latest;
  std::uint64_t latest_sequence = 0;
  std::array<std::uint64_t, slots> sequences = {};
  for (int i = 0; i < slots; ++i) {
    Slot slot;
    if (!read_at(m_descriptor, slot_address(i), &slot, sizeof(slot))) continue;
    if (slot.checksum != checksum_of_slot(slot) || slot.count < 0 || slot.count > boxes_in_slot) {
      continue;
    }
    sequences[static_cast<std::size_t>(i)] = slot.sequence;
    m_sequence = std::max(m_sequence, slot.sequence);
    const bool counts = slot.boot == on_disk || (m_boot != 0 && slot.boot == m_boot);
    if (!counts || slot.sequence < latest_sequence) continue;
    latest = advance_of(slot);
    latest_sequence = slot.sequence;
  }
  m_last_recent = sequences[0] > sequences[1] ? 0 : 1;
  m_last_on_disk = sequences[2] > sequences[3] ? 2 : 3;
  return latest;
}

void Checkpoint::write_slot(int& last, std::uint64_t boot, const Advance& advance) {
  Slot slot;
  slot.sequence = ++m_sequence;
  slot.boot = boot;
  slot.blocks = advance.blocks;
  slot.count = static_cast<std::int64_t>(advance.unwritten.size());
  for (std::size_t i = 0; i < advance.unwritten.size(); ++i) {
    const Block& box = advance.unwritten[i];
    const std::array<std::int64_t, 6> sides = {box.rows.begin,     box.rows.end,
                                               box.channels.begin, box.channels.end,
                                               box.bases.begin,    box.bases.end};
    std::copy(sides.begin(), sides.end(), slot.boxes.begin() + static_cast<std::ptrdiff_t>(6 * i));
  }
  slot.checksum = checksum_of_slot(slot);
  const int next = last ^ 1;  // never over the last one
  write_at(m_descriptor, slot_address(next), &slot, sizeof(slot), m_name);
  last = next;
}

void Checkpoint::save(const Advance& advance) {
  if (m_boot == 0) return save_to_disk(advance);
  write_slot(m_last_recent, m_boot, advance);
}

void Checkpoint::save_to_disk(const Advance& advance) {
  sync(m_descriptor, m_name);
  write_slot(m_last_on_disk, on_disk, advance);
  sync(m_descriptor, m_name);
}

void Checkpoint::restore_length() const {
  struct stat now = {};
  if (fstat(m_descriptor, &now) != 0 || now.st_size >= m_file_bytes) return;
  if (ftruncate(m_descriptor, m_file_bytes) != 0) {
    throw Error(m_name + ": cannot be written: " + std::strerror(errno));
  }
}

void Checkpoint::write_chunk(std::int64_t index, const StoredChunk& chunk) const {
  const auto size = static_cast<std::int64_t>(sizeof(chunk));
  write_at(m_descriptor, slot_address(slots) + index * size, &chunk, sizeof(chunk), m_name);
}

StoredChunk Checkpoint::read_chunk(std::int64_t index) const {
  StoredChunk chunk;
  const auto size = static_cast<std::int64_t>(sizeof(chunk));
  if (!read_at(m_descriptor, slot_address(slots) + index * size, &chunk, sizeof(chunk))) {
    throw Error(m_name + ": its table of chunks cannot be read");
  }
  return chunk;
}

}  // namespace synelix::stream
