// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/shares/part_files.hpp"

#include "hdf5/objects/output_file.hpp"
#include "hdf5/sink/checkpoint.hpp"
#include "part_files/descriptor.hpp"
#include "part_files/records.hpp"

#include <synelix/types/join_parts.hpp>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <tuple>
#include <utility>

namespace synelix {
namespace {

constexpr std::string_view unfinished_ending = ".part";
constexpr const char* part_name = "part";
constexpr const char* rows_name = "rows of the part";

/// Two numbers with a word between them; nothing if a text has another form.
std::optional<std::pair<std::int64_t, std::int64_t>> numbers_in(std::string_view text,
                                                                std::string_view between) {
  const auto place = text.find(between);
  if (place == std::string_view::npos) return std::nullopt;
  std::pair<std::int64_t, std::int64_t> numbers;
  const auto read = [](std::string_view digits, std::int64_t& number) {
    const char* const begin = digits.data();
    const char* const end = begin + digits.size();
    const auto [stop, error] = std::from_chars(begin, end, number);
    return error == std::errc() && stop == end && number >= 0;
  };
  if (!read(text.substr(0, place), numbers.first) ||
      !read(text.substr(place + between.size()), numbers.second)) {
    return std::nullopt;
  }
  return numbers;
}

bool is_part(const std::pair<std::int64_t, std::int64_t>& numbers) {
  return numbers.second >= 1 && numbers.first < numbers.second;
}

}  // namespace

std::string part_file_name(const std::string& file, const OutputPart& part) {
  return file + ".part-" + std::to_string(part.number) + "-of-" + std::to_string(part.of);
}

std::vector<std::string> part_files(const std::string& file) {
  std::vector<std::string> names;
  for (stream::NamedPart& part : stream::named_parts(h5::behind_link(file))) {
    names.push_back(std::move(part.name));
  }
  return names;
}

std::string stream::text_of(const OutputPart& part) {
  return std::to_string(part.number) + "/" + std::to_string(part.of);
}

Range stream::rows_of_part(std::int64_t rows, std::int64_t chunk_rows, const OutputPart& part) {
  const std::int64_t step =
      std::clamp<std::int64_t>(chunk_rows, 1, std::max<std::int64_t>(rows, 1));
  const std::int64_t steps = (rows + step - 1) / step;
  // steps * number / of, split because the product may overflow.
  const auto border = [&](std::int64_t number) {
    const std::int64_t whole = steps / part.of * number + steps % part.of * number / part.of;
    return std::min(rows, whole * step);
  };
  return {border(part.number), border(part.number + 1)};
}

std::vector<stream::NamedPart> stream::named_parts(const std::string& output) {
  const std::filesystem::path path(output);
  const std::filesystem::path folder = path.parent_path();
  const std::string begin = path.filename().string() + ".part-";
  std::vector<NamedPart> parts;
  std::error_code status;
  std::filesystem::directory_iterator entries(folder.empty() ? "." : folder, status);
  for (; !status && entries != std::filesystem::directory_iterator(); entries.increment(status)) {
    const std::string name = entries->path().filename().string();
    if (!name.starts_with(begin)) continue;
    std::string_view rest = std::string_view(name).substr(begin.size());
    const bool is_finished = !rest.ends_with(unfinished_ending);
    if (!is_finished) rest.remove_suffix(unfinished_ending.size());
    const auto numbers = numbers_in(rest, "-of-");
    if (!numbers || !is_part(*numbers)) continue;
    parts.push_back({{numbers->first, numbers->second}, is_finished, (folder / name).string()});
  }
  std::sort(parts.begin(), parts.end(), [](const NamedPart& one, const NamedPart& other) {
    return std::tuple(one.part.of, one.part.number, !one.is_finished) <
           std::tuple(other.part.of, other.part.number, !other.is_finished);
  });
  return parts;
}

void stream::add_part(Fingerprint& run, const OutputPart& part, Range rows) {
  run.emplace_back(part_name, text_of(part));
  run.emplace_back(rows_name, std::to_string(rows.begin) + " to " + std::to_string(rows.end));
}

std::optional<stream::PartFacts> stream::part_facts(const std::string& text) {
  PartFacts facts;
  facts.run = h5::fingerprint_from(text);
  const auto value = [&](const char* name) { return h5::value_of(facts.run, name).value_or(""); };
  const auto part = numbers_in(value(part_name), "/");
  const auto rows = numbers_in(value(rows_name), " to ");
  if (!part || !is_part(*part) || !rows || rows->first > rows->second) return std::nullopt;
  const std::string extents = value("extents");  // "(6000, 3, 4)"
  const char* const begin = extents.data() + std::min<std::size_t>(extents.size(), 1);
  if (std::from_chars(begin, extents.data() + extents.size(), facts.of_rows).ec != std::errc() ||
      rows->second > facts.of_rows) {
    return std::nullopt;
  }
  facts.part = {part->first, part->second};
  facts.rows = {rows->first, rows->second};
  facts.dataset = value("dataset");
  std::erase_if(facts.run, [](const auto& item) {
    return item.first == part_name || item.first == rows_name;
  });
  return facts;
}

std::optional<PartFileDescription> describe_part_file(const std::string& file) {
  const stream::Descriptor opened = stream::opened_to_read(file);
  if (!opened.is_open()) return std::nullopt;
  const auto checkpoint = stream::Checkpoint::find(opened.number(), 0, file);
  if (!checkpoint) return std::nullopt;
  const auto facts = stream::part_facts(checkpoint->text());
  if (!facts) return std::nullopt;
  return PartFileDescription{.file = file,
                             .dataset = facts->dataset,
                             .part = facts->part,
                             .rows = facts->rows,
                             .of_rows = facts->of_rows,
                             .is_finished = !file.ends_with(unfinished_ending)};
}

}  // namespace synelix
