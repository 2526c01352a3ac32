// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The only file that includes CLI11.
#include "tool/options/command_line.hpp"

#include "tool/text/report.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/error.hpp>
#include <synelix/types/hdf5.hpp>
#include <synelix/version.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <istream>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace synelix::tool {
namespace {

/// Reads options for one command: those outside of sections, and those in the section [COMMAND],
/// which take precedence. Sections of other commands are skipped; `plan` also reads those of
/// `convolve`.
class ConfigFile final : public CLI::ConfigBase {
 public:
  explicit ConfigFile(const CLI::App& app) : m_app(app) {
    const std::string& name = app.get_name();
    m_command = name.substr(name.rfind(' ') + 1);
  }

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    require_text();
    std::vector<CLI::ConfigItem> own;
    std::vector<CLI::ConfigItem> outside;
    for (CLI::ConfigItem& item : ConfigBase::from_config(input)) {
      const bool is_in_section = !item.parents.empty();
      if (is_in_section && !is_for_us(CLI::detail::join(item.parents, "."))) continue;
      if (item.name == "++" || item.name == "--") continue;  // begin and end of a section
      require_option(item);
      item.parents.clear();
      (is_in_section ? own : outside).push_back(std::move(item));
    }
    own.insert(own.end(), outside.begin(), outside.end());  // the first of two with the same name
                                                            // is used
    return own;
  }

 private:
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const {
    throw CLI::ValidationError("--config " + path(), problem + ". " + remedy + ".");
  }

  [[nodiscard]] std::string path() const { return m_app.get_config_ptr()->results().front(); }

  void require_text() const {
    try {
      require_text_file(path());
    } catch (const Error& error) {
      throw CLI::ValidationError("--config", error.what());
    }
  }

  [[nodiscard]] bool is_for_us(const std::string& section) const {
    static const std::vector<std::string> commands{"convolve", "plan",  "features", "fit",
                                                   "predict",  "score", "basis",    "simulate"};
    if (section == m_command || (m_command == "plan" && section == "convolve")) return true;
    if (std::find(commands.begin(), commands.end(), section) == commands.end()) {
      refuse("there is no command for the section [" + section + "]",
             "Put the options into [" + m_command + "], or outside sections");
    }
    return false;
  }

  void require_option(const CLI::ConfigItem& item) const {
    for (const std::string& name : {"--" + item.name, "-" + item.name}) {
      const CLI::Option* option = m_app.get_option_no_throw(name);
      if (option != nullptr && option->get_configurable()) return;
    }
    refuse("there is no option '" + item.name + "'",
           "Valid are the options of synelix " + m_command + " --help, without their dashes");
  }

  const CLI::App& m_app;
  std::string m_command;
};

void add_config_file(CLI::App& app, const OptionRow& row) {
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.config_formatter(std::make_shared<ConfigFile>(app));
  app.set_config(row.names, "", row.description)->type_name(row.value)->group(row.group);
}

/// Calls a row's function; CLI11 handles only its own errors.
void give(const OptionRow& row, const std::string& text) {
  try {
    row.take(text);
  } catch (const UsageError& error) {
    throw CLI::ValidationError(error.what());
  }
}

CLI::Option* add_option(CLI::App& app, const OptionRow& row) {
  if (row.kind == OptionKind::flag) {
    return app.add_flag_callback(row.names, [&row] { give(row, "true"); }, row.description);
  }
  if (row.kind == OptionKind::text) {
    const auto take = [&row](const std::string& text) { give(row, text); };
    return app.add_option_function<std::string>(row.names, take, row.description)
        ->type_name(row.value);
  }
  const auto take_all = [&row](const std::vector<std::string>& texts) {
    for (const std::string& text : texts) give(row, text);
  };
  CLI::Option* const added =
      app.add_option_function<std::vector<std::string>>(row.names, take_all, row.description)
          ->type_name(row.value);
  if (row.kind == OptionKind::rest) return added;
  return added->expected(1)->multi_option_policy(row.kind == OptionKind::repeated
                                                     ? CLI::MultiOptionPolicy::TakeAll
                                                     : CLI::MultiOptionPolicy::Throw);
}

/// Scripts read the first two words.
std::string version_line() {
  return "synelix " + std::string(version()) + " (revision " + std::string(revision()) + ", " +
         build_summary() + ")";
}

/// Adds everything of a command to an app that has only its name and its description.
void add_rows(CLI::App& app, const CommandRows& command) {
  for (const auto& [name, description] : command.commands) app.add_subcommand(name, description);
  if (!command.commands.empty()) app.allow_extras();
  CLI::Option* const version_flag = app.set_version_flag("--version", version_line);
  if (command.commands.empty()) version_flag->group("");
  for (const OptionRow& row : command.options.all()) {
    if (row.kind == OptionKind::config) {
      add_config_file(app, row);
      continue;
    }
    CLI::Option* const added = add_option(app, row);
    if (!row.group.empty() || row.is_hidden) added->group(row.is_hidden ? "" : row.group);
    if (row.is_required) added->required();
    if (!row.is_configurable) added->configurable(false);
    if (!row.excluded.empty()) added->excludes(app.get_option(row.excluded));
  }
  app.footer(command.footer);
}

/// The names as typed: those with one dash, those with two, or that of a positional argument.
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

/// One object in one line: the command's name and description, its subcommands, its options in the
/// order of --help, and the text of --help after them. Hidden options are omitted.
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
  return in_one_line(description);
}

/// The number of insertions, deletions and replacements that turn one word into another.
std::size_t distance_of(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// For words that nothing takes: the first option and a similar one; or the first word.
std::string text_of_extras(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining();
  const auto option =
      std::find_if(words.begin(), words.end(), [](const auto& word) { return word[0] == '-'; });
  if (option == words.end()) return "'" + words.front() + "' is one word too many.";
  const std::string wanted = option->substr(0, option->find('='));
  std::size_t least = 1 + wanted.size() / 3;
  std::string nearest;
  for (const CLI::Option* known : app.get_options()) {
    for (const std::string& name : known->get_lnames()) {
      const std::size_t distance = distance_of(wanted, "--" + name);
      if (distance >= least) continue;
      least = distance;
      nearest = " Did you mean --" + name + "?";
    }
  }
  return "there is no option '" + wanted + "'." + nearest;
}

/// Prints help or a version, or one line for a fault.
int leave(const CLI::App& app, const CLI::ParseError& reason) {
  if (reason.get_exit_code() == exit_success) return app.exit(reason);
  const bool is_extra = reason.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) &&
                        !app.remaining().empty();
  std::string message = is_extra ? text_of_extras(app) : reason.what();
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::cerr << app.get_name() << ": " << terminal_text(message) << "\n"
            << "see: " << app.get_name() << " --help\n";
  return exit_usage;
}

}  // namespace

int read_words(const CommandRows& command, std::vector<std::string> words,
               const std::function<void(const std::string& config)>& finish) {
  CLI::App app(command.description, command.name);
  add_rows(app, command);
  if (words.size() == 1 && words.front() == describe_options_word) {
    std::cout << describe_options(app) << "\n";
    return exit_success;
  }
  try {
    std::reverse(words.begin(), words.end());  // CLI11 expects the words in reverse order
    app.parse(std::move(words));
    const CLI::Option* const config = app.get_config_ptr();
    const bool has_config = config != nullptr && config->count() > 0;
    try {
      finish(has_config ? config->results().front() : std::string());
    } catch (const UsageError& error) {
      throw CLI::ValidationError(error.what());
    }
    return exit_success;
  } catch (const CLI::ParseError& reason) {
    return leave(app, reason);
  }
}

}  // namespace synelix::tool
