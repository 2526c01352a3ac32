// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/objects/h5_handles.hpp"

namespace synelix::h5 {
namespace {

std::recursive_mutex& mutex() {
  static std::recursive_mutex instance;
  return instance;
}

/// The outermost error of a stack is the failed operation, and the innermost is the reason.
struct Stack {
  std::string outermost;
  std::string innermost;
};

herr_t collect(unsigned depth, const H5E_error2_t* error, void* data) {
  auto& stack = *static_cast<Stack*>(data);
  const std::string text = error->desc != nullptr ? error->desc : "";
  if (depth == 0) stack.innermost = text;
  stack.outermost = text;
  return 0;
}

/// The message of the operating system if HDF5 quotes it: "error message = '...'".
std::string quoted_message(const std::string& text) {
  const std::string key = "error message = '";
  const auto begin = text.find(key);
  if (begin == std::string::npos) return {};
  const auto end = text.find('\'', begin + key.size());
  return text.substr(begin + key.size(), end - begin - key.size());
}

}  // namespace

Call::Call() : m_lock(mutex()) {
  H5Eget_auto2(H5E_DEFAULT, &m_handler, &m_data);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Call::~Call() { H5Eset_auto2(H5E_DEFAULT, m_handler, m_data); }

std::string failure_text() {
  Stack stack;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, collect, &stack);
  const std::string system = quoted_message(stack.innermost);
  if (!system.empty()) return system + " (HDF5: " + stack.outermost + ")";
  if (stack.innermost.empty()) return "HDF5 gives no reason";
  if (stack.innermost == stack.outermost) return "HDF5: " + stack.innermost;
  return "HDF5: " + stack.outermost + ": " + stack.innermost;
}

bool is_lock_failure() {
  const auto look = [](unsigned, const H5E_error2_t* error, void* data) -> herr_t {
    const std::string text = error->desc != nullptr ? error->desc : "";
    if (text.find("unable to lock") != std::string::npos) *static_cast<bool*>(data) = true;
    return 0;
  };
  bool is_one = false;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look, &is_one);
  return is_one;
}

void fail(const std::string& what) { throw FileError(what + ": " + failure_text()); }

Space space_of(const std::vector<hsize_t>& extents, const std::string& what) {
  return {H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), what};
}

void select_box(const Space& space, const std::vector<hsize_t>& start,
                const std::vector<hsize_t>& count, const std::string& what) {
  check(
      H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
      what);
}

namespace {

/// Calls `transfer(in_memory, in_file)` with the selections of a box.
template <class Transfer>
void transfer_box(const Dataset& dataset, const std::vector<std::int64_t>& start,
                  const std::vector<std::int64_t>& count, const std::string& what,
                  const Transfer& transfer) {
  const Space in_file(H5Dget_space(dataset.id()), what);
  select_box(in_file, sizes_from(start), sizes_from(count), what);
  const Space in_memory = space_of(sizes_from(count), what);
  check(transfer(in_memory.id(), in_file.id()), what);
}

}  // namespace

void read_box(const Dataset& dataset, hid_t memory_type, const std::vector<std::int64_t>& start,
              const std::vector<std::int64_t>& count, void* to, const std::string& what) {
  transfer_box(dataset, start, count, what, [&](hid_t in_memory, hid_t in_file) {
    return H5Dread(dataset.id(), memory_type, in_memory, in_file, H5P_DEFAULT, to);
  });
}

void write_box(const Dataset& dataset, hid_t memory_type, const std::vector<std::int64_t>& start,
               const std::vector<std::int64_t>& count, const void* values,
               const std::string& what) {
  transfer_box(dataset, start, count, what, [&](hid_t in_memory, hid_t in_file) {
    return H5Dwrite(dataset.id(), memory_type, in_memory, in_file, H5P_DEFAULT, values);
  });
}

void read_all(const Dataset& dataset, hid_t memory_type, void* to, const std::string& what) {
  check(H5Dread(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to), what);
}

void write_all(const Dataset& dataset, hid_t memory_type, const void* values,
               const std::string& what) {
  check(H5Dwrite(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), what);
}

}  // namespace synelix::h5
