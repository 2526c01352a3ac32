// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/hdf5/h5_file.hpp"

#include <synelix/error.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <set>
#include <utility>

namespace synelix::h5 {
namespace {

constexpr std::size_t most_objects = std::size_t{1} << 20;
constexpr std::size_t most_path_bytes = std::size_t{1} << 16;

using Token = std::array<std::uint8_t, H5O_MAX_TOKEN_SIZE>;

struct Link {
  std::string name;
  H5L_type_t type;
};

/// Links of a group. An exception is kept here until HDF5's C code has returned.
struct TakenLinks {
  std::vector<Link> links;
  std::exception_ptr failure;
};

herr_t take_link(hid_t, const char* name, const H5L_info2_t* info, void* data) {
  auto& taken = *static_cast<TakenLinks*>(data);
  try {
    if (taken.links.size() > most_objects) return 1;
    taken.links.push_back({name, info->type});
  } catch (...) {
    taken.failure = std::current_exception();
    return -1;
  }
  return 0;
}

/// A group on the current path from the root.
struct Level {
  Group group;
  std::string path;  ///< empty for the root
  std::vector<Link> links;
  std::size_t next = 0;
};

class LinkWalk {
 public:
  LinkWalk(const SourceFile& file, const Visitor& visitor) : m_file(file), m_visitor(visitor) {}

  void run() {
    enter(Group(H5Gopen2(m_file.id(), "/", H5P_DEFAULT), m_file.name()), "");
    while (!m_levels.empty()) {
      Level& level = m_levels.back();
      if (level.next == level.links.size()) {
        m_levels.pop_back();
        continue;
      }
      const Link link = std::move(level.links[level.next++]);
      const std::string path = level.path + "/" + link.name;
      if (path.size() > most_path_bytes) {
        throw FileError(m_file.name(),
                        "it has a path of more than " + std::to_string(most_path_bytes) +
                            " bytes, made of groups in groups",
                        "Give one dataset of it, as FILE:/dataset");
      }
      if (link.type == H5L_TYPE_EXTERNAL && m_visitor.external) m_visitor.external(path);
      if (link.type == H5L_TYPE_HARD) visit(level.group.id(), link.name, path);
    }
  }

 private:
  void visit(hid_t parent, const std::string& name, const std::string& path) {
    H5O_info2_t info{};
    check(H5Oget_info_by_name3(parent, name.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT),
          m_file.name() + ": cannot be looked through");
    if (!is_new(info)) return;
    if (info.type == H5O_TYPE_DATASET && m_visitor.dataset) m_visitor.dataset(path, parent, name);
    if (info.type == H5O_TYPE_GROUP) {
      enter(Group(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), path), path);
    }
  }

  bool is_new(const H5O_info2_t& info) {
    Token token{};
    std::memcpy(token.data(), info.token.__data, token.size());
    if (!m_seen.insert(token).second) return false;
    if (m_seen.size() > most_objects) {
      throw FileError(m_file.name(),
                      "it has more than " + std::to_string(most_objects) + " groups and datasets",
                      "Give one dataset of it, as FILE:/dataset");
    }
    return true;
  }

  void enter(Group group, const std::string& path) {
    TakenLinks taken;
    hsize_t next = 0;
    const herr_t result =
        H5Literate2(group.id(), H5_INDEX_NAME, H5_ITER_INC, &next, take_link, &taken);
    if (taken.failure) std::rethrow_exception(taken.failure);
    check(result, m_file.name() + ": cannot be looked through");
    if (path.empty()) {
      H5O_info2_t info{};
      check(H5Oget_info3(group.id(), &info, H5O_INFO_BASIC), m_file.name());
      is_new(info);
    }
    if (m_visitor.group) {
      std::vector<std::string> names;
      names.reserve(taken.links.size());
      for (const Link& link : taken.links) names.push_back(link.name);
      m_visitor.group(path.empty() ? "/" : path, names);
    }
    m_levels.push_back({std::move(group), path, std::move(taken.links)});
  }

  const SourceFile& m_file;
  const Visitor& m_visitor;
  std::vector<Level> m_levels;
  std::set<Token> m_seen;
};

}  // namespace

void walk(const SourceFile& file, const Visitor& visitor) { LinkWalk(file, visitor).run(); }

}  // namespace synelix::h5
