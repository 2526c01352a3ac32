// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/basis_names.hpp"

#include <synelix/eval_basis.hpp>

#include <algorithm>
#include <cctype>
#include <type_traits>

namespace synelix::tool {
namespace {

struct BasisFamily {
  std::string name;
  Basis basis;  ///< with the default of each parameter
};

/// RaisedCosineLog becomes raised-cosine-log, BSpline bspline.
std::string option_name(std::string_view type) {
  std::string name;
  for (std::size_t i = 0; i < type.size(); ++i) {
    const auto letter = static_cast<unsigned char>(type[i]);
    const bool begins_word = i > 0 && std::isupper(letter) != 0 &&
                             std::islower(static_cast<unsigned char>(type[i - 1])) != 0;
    if (begins_word) name += '-';
    name += static_cast<char>(std::tolower(letter));
  }
  return name;
}

template <class... Families>
std::vector<BasisFamily> families_of(std::type_identity<std::variant<Families...>>) {
  std::vector<BasisFamily> families;
  const auto add = [&]<class Type>(std::type_identity<Type>) {
    if (!std::is_same_v<Type, CustomTaps>) families.push_back({option_name(Type::name), Type{}});
  };
  (add(std::type_identity<Families>{}), ...);
  return families;
}

/// All families except CustomTaps, whose taps come from a file.
const std::vector<BasisFamily>& basis_families() {
  static const std::vector<BasisFamily> all = families_of(std::type_identity<Basis>{});
  return all;
}

const Basis* find(const std::string& name) {
  const auto found = std::find_if(basis_families().begin(), basis_families().end(),
                                  [&](const BasisFamily& family) { return family.name == name; });
  return found == basis_families().end() ? nullptr : &found->basis;
}

/// Calls visit(name of member, member) for each parameter that an option may set.
template <class Visit>
void for_each_option(Basis& basis, const Visit& visit) {
  std::visit(
      [&](auto& family) {
        if constexpr (requires { family.bases; }) visit("bases", family.bases);
        for_each_parameter(family, visit);
      },
      basis);
}

void set(Decay& decay, const ParameterValue&) { decay = Decay::open; }
template <class Value>
void set(Value& member, const ParameterValue& value) {
  member = std::get<Value>(value);
}

}  // namespace

std::string family_names(std::string_view last) {
  std::string names;
  for (const BasisFamily& family : basis_families()) {
    if (!names.empty()) names += &family == &basis_families().back() ? last : ", ";
    names += family.name;
  }
  return names;
}

bool is_family(const std::string& name) { return find(name) != nullptr; }

bool has_eval_mode(const std::string& name) {
  return std::visit(
      [](const auto& family) { return std::is_constructible_v<EvalBasis, decltype(family)>; },
      *find(name));
}

std::optional<ParameterFault> fault_of(const BasisParameters& given) {
  Basis basis = *find(given.family);
  std::vector<std::string_view> members;
  for_each_option(basis, [&](const char* name, auto&) { members.emplace_back(name); });
  std::optional<ParameterFault> missing;
  for (std::size_t i = 0; i < basis_options.size(); ++i) {
    const BasisOption& option = basis_options[i];
    const bool applies = std::find(members.begin(), members.end(), option.member) != members.end();
    if (given.values[i] && !applies) return ParameterFault{std::string(option.name), false};
    if (applies && option.is_required && !given.values[i] && !missing) {
      missing = ParameterFault{std::string(option.name), true};
    }
  }
  return missing;
}

Basis basis_of(const BasisParameters& given) {
  Basis basis = *find(given.family);
  for_each_option(basis, [&](std::string_view name, auto& member) {
    for (std::size_t i = 0; i < basis_options.size(); ++i) {
      if (basis_options[i].member == name && given.values[i]) set(member, *given.values[i]);
    }
  });
  return basis;
}

}  // namespace synelix::tool
