// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "crash/trace.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace crash {

std::map<std::string, int> Trace::names_after(std::size_t count) const {
  std::map<std::string, int> names;
  int file = 0;
  for (const auto& [name, bytes] : before) names[name] = file++;
  for (std::size_t i = 0; i < count; ++i) {
    const Event& event = events[i];
    if (event.kind == Kind::create) names[event.name] = event.file;
    if (event.kind == Kind::link || event.kind == Kind::rename) names[event.to] = event.file;
    if (event.kind == Kind::rename || event.kind == Kind::unlink) names.erase(event.name);
  }
  return names;
}

int Trace::files_after(std::size_t count) const {
  int files = static_cast<int>(before.size());
  for (std::size_t i = 0; i < count; ++i) files = std::max(files, events[i].file + 1);
  return files;
}

Tape::Tape(std::size_t bytes) : m_bytes(bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  m_head = new (memory) Head;
}

Tape::~Tape() { munmap(m_head, m_bytes); }

void Tape::clear() { m_head->used = 0; }

void Tape::put(const void* from, std::size_t bytes) {
  if (sizeof(Head) + m_head->used + bytes > m_bytes) {
    std::fputs("crash: the tape is full\n", stderr);
    std::abort();
  }
  if (bytes > 0) {
    std::memcpy(reinterpret_cast<char*>(m_head) + sizeof(Head) + m_head->used, from, bytes);
  }
  m_head->used += bytes;
}

void Tape::put(const std::string& text) {
  const std::size_t size = text.size();
  put(&size, sizeof(size));
  put(text.data(), size);
}

void Tape::add(const Event& event) {
  put(&event.kind, sizeof(event.kind));
  put(&event.file, sizeof(event.file));
  put(&event.offset, sizeof(event.offset));
  put(event.bytes);
  put(event.name);
  put(event.to);
}

std::vector<Event> Tape::events() const {
  std::vector<Event> found;
  const char* next = reinterpret_cast<const char*>(m_head) + sizeof(Head);
  const char* const end = next + m_head->used;
  const auto take = [&next](void* to, std::size_t bytes) {
    std::memcpy(to, next, bytes);
    next += bytes;
  };
  const auto take_text = [&] {
    std::size_t size = 0;
    take(&size, sizeof(size));
    std::string text(next, size);
    next += size;
    return text;
  };
  while (next < end) {
    Event event;
    take(&event.kind, sizeof(event.kind));
    take(&event.file, sizeof(event.file));
    take(&event.offset, sizeof(event.offset));
    event.bytes = take_text();
    event.name = take_text();
    event.to = take_text();
    found.push_back(std::move(event));
  }
  return found;
}

}  // namespace crash
