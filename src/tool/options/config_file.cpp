// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/option_groups.hpp"
#include "tool/text/text_file.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <istream>
#include <memory>
#include <string>
#include <vector>

namespace synelix::tool {
namespace {

/// Reads options for one command: those outside sections, and those of the section [COMMAND], which
/// win. Sections of other commands are passed over; `plan` reads those of `convolve` too.
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
      if (item.name == "++" || item.name == "--") continue;  // where a section begins and ends
      require_option(item);
      item.parents.clear();
      (is_in_section ? own : outside).push_back(std::move(item));
    }
    own.insert(own.end(), outside.begin(), outside.end());  // the first of two of a name is taken
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

}  // namespace

void add_config_option(CLI::App& app) {
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.config_formatter(std::make_shared<ConfigFile>(app));
  app.set_config("--config", "",
                 "Read options from a TOML or INI file. Write name = value under [COMMAND], or "
                 "before any section.")
      ->type_name("FILE")
      ->group("Messages");
}

}  // namespace synelix::tool
