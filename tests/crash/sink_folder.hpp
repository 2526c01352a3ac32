// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/resumable.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

/// \file
/// A folder in which a sink runs while its calls fail.

namespace resumable {

/// A folder with an existing out.h5 if requested, and a part of a run that was stopped.
struct Folder {
  Folder(sx::Compression compression, sx::Existing asked) : existing(asked) {
    problem.filter = {compression, 1};
    if (existing == sx::Existing::refuse) return;
    const made::File old(file);
    old.dataset("/old", {3}, std::vector<double>{1, 2, 3});
    // More than `filesystem::permissions` would restore.
    std::filesystem::permissions(file, std::filesystem::perms(0640));
  }

  [[nodiscard]] sx::Hdf5SinkOptions options(sx::Start start) const {
    sx::Hdf5SinkOptions result = options_of(problem, start);
    result.output.existing = existing;
    return result;
  }
  /// Writes a number of blocks; all of them if it is 0. \throws sx::Error
  void run(sx::Start start, std::size_t blocks = 0) const {
    sx::Hdf5Sink sink(made::at(file, dataset), options(start));
    try {
      sink.begin(described(problem, block));
      std::vector<Block> left = blocks_of(left_of(sink, problem), block);
      if (blocks > 0) left.resize(blocks);
      for (const Block& next : left) write(sink, problem, next);
    } catch (...) {
      sink.abandon();
      throw;
    }
    if (blocks > 0) return sink.abandon();
    try {
      sink.finish();
    } catch (...) {
      sink.abandon();
      throw;
    }
  }
  /// The fault of the finished file; empty: none.
  [[nodiscard]] std::string wrong() const {
    if (!std::filesystem::exists(file)) return "no file";
    if (std::filesystem::exists(file + ".part")) return "a part beside the file";
    if (existing == sx::Existing::append &&
        made::read<double>(file, "/old") != std::vector<double>{1, 2, 3}) {
      return "what was there before";
    }
    return wrong_in(file, problem);
  }

  made::Folder folder;
  std::string file = folder / "out.h5";
  std::string dataset = "/f";
  sx::Existing existing;
  Problem problem{.shape = {.rows = 300, .channels = 6, .bases = 2, .channel_extents = {6}},
                  .chunk = {50, 4, 2},
                  .filter = {}};
  BlockShape block{100, 6, 2};
};

}  // namespace resumable
