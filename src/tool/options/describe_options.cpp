// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/describe_options.hpp"

#include <nlohmann/json.hpp>

namespace synelix::tool {
namespace {

using Json = nlohmann::ordered_json;

/// The names as they are typed: those with one dash, those with two, or that of a positional.
Json names_of(const CLI::Option& option) {
  Json names = Json::array();
  if (option.get_positional()) names.push_back(option.get_name(true));
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

Json option_of(const CLI::Option& option) {
  Json excluded = Json::array();
  for (const CLI::Option* other : option.get_excludes()) excluded.push_back(other->get_name());
  const bool is_flag = option.get_items_expected_max() == 0;
  return {{"names", names_of(option)},
          {"positional", option.get_positional()},
          {"flag", is_flag},
          {"type", is_flag ? "" : option.get_type_name()},
          {"required", option.get_required()},
          {"excludes", std::move(excluded)},
          {"group", option.get_group()},
          {"help", option.get_description()}};
}

}  // namespace

std::string describe_options(const CLI::App& app) {
  Json options = Json::array();
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty()) options.push_back(option_of(*option));
  }
  Json commands = Json::array();
  for (const CLI::App* command : app.get_subcommands({})) {
    commands.push_back(
        {{"name", command->get_name()}, {"description", command->get_description()}});
  }
  const Json description{{"name", app.get_name()},
                         {"description", app.get_description()},
                         {"commands", std::move(commands)},
                         {"options", std::move(options)},
                         {"footer", app.get_footer()}};
  return description.dump();
}

}  // namespace synelix::tool
