// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Helpers of tests that run kernels: arrays in the memory of the device, and their arguments.
#pragma once

#include "faults.hpp"
#include "memory.hpp"
#include "module.hpp"
#include "settings.hpp"
#include "team.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace emulator {

template <class T>
class DeviceArray {
 public:
  /// Without values: memory that nothing wrote.
  explicit DeviceArray(std::size_t size)
      : m_size(size), m_address(memory().allocate(size * sizeof(T), Kind::device)) {}
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    std::memcpy(memory().backing(m_address), values.data(), values.size() * sizeof(T));
    memory().set_known(m_address, values.size() * sizeof(T));
  }
  ~DeviceArray() { release(); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  std::uint64_t address() const { return m_address; }
  void release() { memory().release(m_address); }
  std::vector<T> values() const {
    std::vector<T> values(m_size);
    std::memcpy(values.data(), memory().backing(m_address), m_size * sizeof(T));
    return values;
  }

 private:
  std::size_t m_size;
  std::uint64_t m_address;
};

/// The bytes of arguments, consecutive with their alignment.
class Arguments {
 public:
  template <class... Values>
  explicit Arguments(const Values&... values) {
    (add(values), ...);
  }
  const std::vector<unsigned char>& bytes() const { return m_bytes; }

 private:
  template <class T>
  void add(const DeviceArray<T>& array) {
    add(array.address());
  }
  template <class T>
  void add(const T& value) {
    m_bytes.resize((m_bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T));
    m_bytes.resize(m_bytes.size() + sizeof(T));
    std::memcpy(m_bytes.data() + m_bytes.size() - sizeof(T), &value, sizeof(T));
  }

  std::vector<unsigned char> m_bytes;
};

/// Settings of a test, and no faults of the tests before; both are as before at its end.
class QuietMachine {
 public:
  QuietMachine() : m_before(settings()) {
    settings() = Settings();
    settings().quiet = true;
    clear_faults();
  }
  ~QuietMachine() {
    settings() = m_before;
    clear_faults();
  }
  QuietMachine(const QuietMachine&) = delete;
  QuietMachine& operator=(const QuietMachine&) = delete;

 private:
  Settings m_before;
};

/// The head of a module, and one kernel of that name, parameters and body.
inline std::string kernel_text(const std::string& parameters, const std::string& body) {
  return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry kernel(" + parameters +
         ")\n{\n" + body + "\nret;\n}\n";
}

struct Shape3 {
  unsigned teams = 1, threads = 32;
  std::size_t shared = 0;
};

/// Loads the text and runs the kernel.
inline void run_kernel(const std::string& text, Shape3 shape, const Arguments& arguments) {
  const auto module = load(text);
  launch(*find_kernel(*module, "kernel"), {shape.teams, 1, 1}, {shape.threads, 1, 1}, shape.shared,
         arguments.bytes());
}

/// All faults, a line each.
inline std::string fault_lines() {
  std::string lines;
  for (const Fault& fault : faults()) lines += fault.kind + ": " + fault.text + "\n";
  return lines;
}

}  // namespace emulator
