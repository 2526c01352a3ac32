// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime.hpp"

#include <synelix/error.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

/// \file
/// Members of Python objects that own Kokkos memory, or that only one call at a time may use.

namespace synelix::python {

/// An owner of Kokkos memory. It releases the memory when Python ends, even if there are
/// references.
class Kept {
 public:
  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  virtual void release() noexcept = 0;
  /// Gives up the memory without freeing it. Kokkos waits when memory is freed, and in a torn child
  /// the threads that it waits for do not exist.
  virtual void leak() noexcept = 0;

 protected:
  ~Kept() = default;
  /// After this call, the end of Python releases it. Call while a call is in flight.
  void keep();
  /// Releases it, or leaks it in a torn child and after Python has ended. The destructor of the
  /// final class calls it, so that the end of Python never uses a partly destroyed object.
  void let_go() noexcept;
};

/// A value that owns Kokkos memory; empty at first, and after the end of Python.
template <class Value>
class Held final : private Kept {
 public:
  Held() = default;
  ~Held() { let_go(); }
  /// Makes the value. Call while a call is in flight.
  template <class... Arguments>
  Value& emplace(Arguments&&... arguments) {
    m_value = std::make_unique<Value>(std::forward<Arguments>(arguments)...);
    keep();
    return *m_value;
  }
  /// Frees the value before the end of the object.
  void reset() noexcept { let_go(); }
  [[nodiscard]] Value* get() { return m_value.get(); }
  [[nodiscard]] const Value* get() const { return m_value.get(); }

 private:
  void release() noexcept override { m_value.reset(); }
  void leak() noexcept override { static_cast<void>(m_value.release()); }

  std::unique_ptr<Value> m_value;
};

/// Lets only one call at a time use an object. A nested call would wait for itself, so it throws: a
/// signal handler, a finalizer or a progress function may try it.
class Alone {
 public:
  /// The use by one call, in flight and without the GIL.
  class Use {
   public:
    /// \throws StateError if this thread is in a call that uses the object
    Use(Alone& object, const char* name) : m_object(object) {
      if (object.m_user == std::this_thread::get_id()) {
        throw StateError(
            name, "it is in use by a call that this thread has not finished",
            "Use it after that call, not in its progress function or a signal handler");
      }
      object.m_mutex.lock();
      object.m_user = std::this_thread::get_id();
    }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;
    ~Use() {
      m_object.m_user = std::thread::id();
      m_object.m_mutex.unlock();
    }

   private:
    Alone& m_object;
  };

 private:
  std::mutex m_mutex;
  std::atomic<std::thread::id> m_user = {};
};

}  // namespace synelix::python
