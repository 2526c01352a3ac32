// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/option_rows.hpp"

#include <algorithm>

namespace synelix::tool {

OptionRow& OptionRows::add(OptionRow row) {
  if (row.group.empty()) row.group = m_group;
  return m_rows.emplace_back(std::move(row));
}

OptionRow& OptionRows::add_flag(const std::string& names, std::function<void()> set,
                                const std::string& description) {
  OptionRow row;
  row.names = names;
  row.kind = OptionKind::flag;
  row.description = description;
  row.take = [set = std::move(set)](const std::string&) { set(); };
  return add(std::move(row));
}

OptionRow& OptionRows::add_flag(const std::string& names, bool& flag,
                                const std::string& description) {
  return add_flag(names, [&flag] { flag = true; }, description);
}

OptionRow& OptionRows::add_text(const std::string& names, std::string& target,
                                const std::string& value, const std::string& description) {
  OptionRow row;
  row.names = names;
  row.value = value;
  row.description = description;
  row.take = [&target](const std::string& text) { target = text; };
  return add(std::move(row));
}

OptionRow& OptionRows::add_texts(const std::string& names, OptionKind kind,
                                 std::vector<std::string>& target, const std::string& value,
                                 const std::string& description) {
  OptionRow row;
  row.names = names;
  row.kind = kind;
  row.value = value;
  row.description = description;
  row.take = [&target](const std::string& text) { target.push_back(text); };
  return add(std::move(row));
}

OptionRow& OptionRows::at(const std::string& name) {
  const auto has_name = [&](const OptionRow& row) {
    return ("," + row.names + ",").find("," + name + ",") != std::string::npos;
  };
  const auto found = std::find_if(m_rows.begin(), m_rows.end(), has_name);
  if (found == m_rows.end()) throw std::logic_error("there is no option " + name);
  return *found;
}

}  // namespace synelix::tool
