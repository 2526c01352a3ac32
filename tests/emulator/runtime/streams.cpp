// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "streams.hpp"

#include "../faults.hpp"
#include "../memory.hpp"
#include "../settings.hpp"

#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace emulator {
namespace {

std::uint64_t work_count = 0;
cudaError_t remembered = cudaSuccess;

// Never destroyed: programs end after static objects.
std::set<Stream*>& streams() {
  static auto& made = *new std::set<Stream*>();
  return made;
}

std::uint64_t number_of(const void* address) { return reinterpret_cast<std::uint64_t>(address); }

/// Unwritten values stay unwritten.
bool copy_within_device(std::uint64_t to, std::uint64_t from, std::size_t bytes, const char* what) {
  const auto fits = [bytes](std::uint64_t address) {
    const Allocation* a = memory().find(address, false);
    return a != nullptr && memory().offset_of(address) + bytes <= a->begin + a->bytes;
  };
  if (!fits(to) || !fits(from)) {
    report_host("copy out of bounds", std::string(what) + " of " + std::to_string(bytes) +
                                          " bytes from " + memory().describe(from) + " to " +
                                          memory().describe(to));
    return false;
  }
  memory().copy_known(to, from, bytes);
  return true;
}

}  // namespace

std::recursive_mutex& turn() {
  static auto& made = *new std::recursive_mutex();
  return made;
}

Stream& null_stream() {
  static auto& made = *new Stream();
  streams().insert(&made);
  return made;
}

Stream* stream_of(cudaStream_t handle) {
  if (handle == nullptr || handle == cudaStreamLegacy) return &null_stream();
  if (handle == cudaStreamPerThread) {
    thread_local Stream* const mine = reinterpret_cast<Stream*>(add_stream(true));
    return mine;
  }
  auto* found = reinterpret_cast<Stream*>(handle);
  if (streams().count(found) != 0) return found;
  report_host("use of an unknown stream", "a stream that was destroyed or never made");
  return &null_stream();
}

cudaStream_t add_stream(bool waits_for_null_stream) {
  const std::lock_guard lock(turn());
  auto* made = new Stream();
  made->waits_for_null_stream = waits_for_null_stream;
  streams().insert(made);
  return reinterpret_cast<cudaStream_t>(made);
}

void remove_stream(Stream& stream) {
  const std::lock_guard lock(turn());
  drain(stream);
  if (&stream == &null_stream()) return;
  streams().erase(&stream);
  delete &stream;
}

std::uint64_t last_work() { return work_count; }

void drain(Stream& stream, std::uint64_t until) {
  const std::lock_guard lock(turn());
  if (streams().count(&stream) == 0) return;
  while (!stream.queue.empty() && stream.queue.front().first <= until) {
    const auto work = std::move(stream.queue.front().second);
    stream.queue.pop_front();
    work();
  }
}

void drain_all(bool also_those_that_do_not_wait) {
  const std::lock_guard lock(turn());
  for (Stream* stream : std::set<Stream*>(streams())) {
    if (also_those_that_do_not_wait || stream->waits_for_null_stream) drain(*stream);
  }
}

void enqueue(cudaStream_t handle, std::function<void()> work) {
  const std::lock_guard lock(turn());
  Stream& stream = *stream_of(handle);
  if (&stream == &null_stream()) {
    drain_all(false);
    work();
    return;
  }
  stream.queue.emplace_back(++work_count, std::move(work));
  if (!settings().late) drain(stream);
}

bool is_device_memory(const void* address) {
  const Allocation* a = memory().find(number_of(address));
  return a != nullptr && (a->kind == Kind::device || a->kind == Kind::variable);
}

void check_kind(cudaMemcpyKind kind, const void* to, const void* from) {
  if (kind == cudaMemcpyDefault) return;
  const auto check = [](const char* end, const void* address, bool says_device) {
    const bool may_be_device = memory().holds(number_of(address));
    if (says_device ? may_be_device : !is_device_memory(address)) return;
    report_host("copy of another kind",
                std::string(end) + " memory of the " + (says_device ? "host" : "device") +
                    ", though it says " + (says_device ? "device" : "host"));
  };
  check("to", to, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice);
  check("from", from, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice);
}

void copy(void* to, const void* from, std::size_t bytes, const char* what) {
  const std::lock_guard lock(turn());
  if (bytes == 0) return;
  const std::uint64_t target = number_of(to), origin = number_of(from);
  if (is_device_memory(to) && is_device_memory(from)) {
    if (!copy_within_device(target, origin, bytes, what)) return;
  } else if (!memory().check_copy(what, origin, bytes, false) ||
             !memory().check_copy(what, target, bytes, true)) {
    return;
  }
  std::memmove(memory().backing(target), memory().backing(origin), bytes);
}

void copy_later(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                cudaStream_t stream) {
  check_kind(kind, to, from);
  if (!memory().holds(number_of(from)) && settings().late) {
    // Pageable memory is read before the call returns.
    const auto* begin = static_cast<const unsigned char*>(from);
    auto held = std::make_shared<std::vector<unsigned char>>(begin, begin + bytes);
    enqueue(stream, [=] { copy(to, held->data(), bytes, "asynchronous copy"); });
  } else {
    enqueue(stream, [=] { copy(to, from, bytes, "asynchronous copy"); });
  }
  if (!memory().holds(number_of(to))) drain(*stream_of(stream));
}

cudaError_t fails(cudaError_t error) {
  if (error != cudaSuccess) remembered = error;
  return error;
}

cudaError_t last_error(bool forgets) {
  const cudaError_t error = remembered;
  if (forgets) remembered = cudaSuccess;
  return error;
}

}  // namespace emulator
