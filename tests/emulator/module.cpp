// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "module.hpp"

#include "declarations.hpp"
#include "function_parser.hpp"
#include "memory.hpp"
#include "settings.hpp"
#include "tokens.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace emulator {
namespace {

void skip_section(Tokens& tokens) {
  tokens.word();
  tokens.expect("{");
  for (int depth = 1; depth > 0; tokens.advance()) {
    if (tokens.token().kind == Token::end) tokens.fail("a section without an end");
    if (tokens.is("{")) ++depth;
    if (tokens.is("}")) --depth;
  }
}

void read_function_or_variable(Tokens& tokens, Declarations& declarations, Module& module) {
  bool is_extern = false;
  while (tokens.is(".visible") || tokens.is(".extern") || tokens.is(".weak") ||
         tokens.is(".common")) {
    is_extern |= tokens.is(".extern");
    tokens.advance();
  }
  if (tokens.is(".entry") || tokens.is(".func")) {
    auto function = FunctionParser(tokens, declarations, module).read();
    auto& known = module.functions[function->name];
    if (known == nullptr || !known->has_body) known = std::move(function);
  } else if (tokens.is(".global") || tokens.is(".const") || tokens.is(".shared")) {
    Variable v = declarations.read_variable();
    v.is_dynamic = is_extern && v.space == Space::shared;
    module.variables[v.name] = std::move(v);
  } else {
    tokens.fail("unknown statement");
  }
}

void read_statement(Tokens& tokens, Declarations& declarations, Module& module) {
  if (tokens.take(".version")) {
    tokens.advance();
  } else if (tokens.take(".target")) {
    tokens.word();
    while (tokens.take(",")) tokens.word();
  } else if (tokens.take(".address_size")) {
    tokens.integer();
  } else if (tokens.take(".file")) {
    declarations.read_file();
  } else if (tokens.take(".section")) {
    skip_section(tokens);
  } else if (tokens.is(".loc")) {
    declarations.read_location();
  } else {
    read_function_or_variable(tokens, declarations, module);
  }
}

void join_calls(Module& module) {
  for (const auto& [name, function] : module.functions) {
    for (const auto& call : function->calls) {
      const auto found = module.functions.find(call->name);
      if (found == module.functions.end()) {
        throw std::runtime_error("PTX: " + name + " calls the unknown function " + call->name);
      }
      call->function = found->second.get();
    }
  }
}

/// The last components of a path.
std::string shortened(const std::string& path) {
  std::size_t at = path.size();
  for (int k = 0; k < settings().path_parts && at != std::string::npos && at > 0; ++k) {
    at = path.rfind('/', at - 1);
  }
  return at == std::string::npos || at == path.size() ? path : path.substr(at + 1);
}

void place_variables(Module& module) {
  for (auto& [name, v] : module.variables) {
    if (v.space != Space::global && v.space != Space::constant) continue;
    v.address = memory().allocate(v.bytes, Kind::variable);
    unsigned char* bytes = memory().backing(v.address);
    std::memset(bytes, 0, v.bytes);
    std::copy_n(v.initial.begin(), std::min(v.bytes, v.initial.size()), bytes);
    memory().set_known(v.address, v.bytes);
  }
  for (auto& [name, v] : module.variables) {
    for (const auto& [at, other] : v.addresses) {
      const auto found = module.variables.find(other);
      if (found == module.variables.end()) continue;
      std::uint64_t value = 0;
      std::memcpy(&value, memory().backing(v.address) + at, sizeof value);
      value += found->second.address;
      std::memcpy(memory().backing(v.address) + at, &value, sizeof value);
    }
  }
}

}  // namespace

std::unique_ptr<Module> parse(std::string text) {
  auto module = std::make_unique<Module>();
  module->text = std::move(text);
  Tokens tokens(module->text);
  Declarations declarations(tokens, *module);
  while (tokens.token().kind != Token::end) read_statement(tokens, declarations, *module);
  join_calls(*module);
  return module;
}

std::unique_ptr<Module> load(std::string text) {
  auto module = parse(std::move(text));
  place_variables(*module);
  for (auto& [name, function] : module->functions) {
    for (Slot& slot : function->slots) {
      if (slot.content != Content::global) continue;
      slot.content = Content::constant;
      slot.value = module->variables.at(slot.name).address + slot.addend;
    }
  }
  return module;
}

Function* find_kernel(Module& module, const std::string& name) {
  const auto found = module.functions.find(name);
  if (found == module.functions.end() || !found->second->is_kernel) return nullptr;
  return found->second.get();
}

std::string Module::where(int place) const {
  std::string chain;
  for (int depth = 0; place >= 0 && depth < 12; ++depth) {
    const Place& p = places[static_cast<std::size_t>(place)];
    const auto file = static_cast<std::size_t>(p.file);
    chain += (depth > 0 ? " < " : "") + (file < files.size() ? shortened(files[file]) : "?") + ":" +
             std::to_string(p.line);
    if (p.parent == place) break;
    place = p.parent;
  }
  return chain;
}

std::string Module::where_of_line(std::uint32_t line) const {
  const int place = line < place_of_line.size() ? place_of_line[line] : -1;
  return where(place) + (place >= 0 ? ", PTX line " : "PTX line ") + std::to_string(line);
}

std::string Module::path_of_line(std::uint32_t line) const {
  const int place = line < place_of_line.size() ? place_of_line[line] : -1;
  if (place < 0) return {};
  const int file = places[static_cast<std::size_t>(place)].file;
  return static_cast<std::size_t>(file) < files.size() ? files[static_cast<std::size_t>(file)] : "";
}

std::string Module::text_of(const Instruction& instruction) const {
  return text.substr(instruction.text_begin, instruction.text_bytes);
}

}  // namespace emulator
