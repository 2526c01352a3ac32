// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "function_parser.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace emulator {
namespace {

bool has_result(const Opcode& opcode) {
  const std::string& name = opcode.name();
  if ((name == "bar" || name == "barrier") && opcode.has("red")) return true;
  static constexpr std::array<std::string_view, 14> without = {
      "st",        "red",       "bar",  "barrier", "membar",  "fence", "prefetch",
      "nanosleep", "prefetchu", "trap", "discard", "pmevent", "brkpt", "griddepcontrol"};
  return std::find(without.begin(), without.end(), name) == without.end();
}

}  // namespace

FunctionParser::FunctionParser(Tokens& tokens, Declarations& declarations, Module& module)
    : m_tokens(tokens),
      m_declarations(declarations),
      m_module(module),
      m_function(std::make_unique<Function>()),
      m_binder(*m_function, module, tokens) {}

std::unique_ptr<Function> FunctionParser::read() {
  static std::uint64_t functions = 0;
  m_function->id = ++functions;
  m_function->module = &m_module;
  read_head();
  if (m_tokens.take(";")) return std::move(m_function);
  m_function->has_body = true;
  m_tokens.expect("{");
  read_body();
  Instruction end;
  end.run = run_return;
  end.predicate = Binder::always;
  end.place = m_place;
  end.line = m_tokens.line();
  m_binder.append(end);
  resolve_labels();
  lay_out_frame(*m_function);
  return std::move(m_function);
}

void FunctionParser::read_head() {
  m_function->is_kernel = m_tokens.is(".entry");
  m_tokens.advance();
  if (!m_function->is_kernel && m_tokens.is("(")) m_function->results = read_parameters();
  m_function->name = m_tokens.word();
  if (m_tokens.is("(")) m_function->parameters = read_parameters();
  if (m_function->is_kernel) m_function->uniform_bytes = m_function->parameter_bytes;
  for (const auto* list : {&m_function->parameters, &m_function->results}) {
    for (const Parameter& p : *list) m_scopes[0].parameters[p.name] = p.offset;
  }
  read_bounds();
}

void FunctionParser::read_bounds() {
  for (;;) {
    if (m_tokens.is(".maxntid") || m_tokens.is(".reqntid")) {
      m_tokens.advance();
      m_function->max_threads = static_cast<int>(m_tokens.integer());
      while (m_tokens.take(",")) m_function->max_threads *= static_cast<int>(m_tokens.integer());
    } else if (m_tokens.take(".minnctapersm") || m_tokens.take(".maxnreg")) {
      m_tokens.integer();
    } else if (m_tokens.take(".pragma")) {
      m_tokens.advance();
      m_tokens.take(";");
    } else if (!m_tokens.take(".noreturn")) {
      return;
    }
  }
}

std::vector<Parameter> FunctionParser::read_parameters() {
  std::vector<Parameter> list;
  m_tokens.expect("(");
  while (!m_tokens.take(")")) {
    if (m_tokens.is(".reg")) m_tokens.fail("registers as parameters are not known");
    const Variable v = m_declarations.read_variable();
    list.push_back({v.name, v.bytes, v.align, m_binder.add_parameter(v.bytes, v.align)});
    m_tokens.take(",");
  }
  return list;
}

void FunctionParser::read_body() {
  while (!m_scopes.empty()) {
    if (m_tokens.token().kind == Token::end) m_tokens.fail("a function without an end");
    if (m_tokens.take("{")) {
      m_scopes.emplace_back();
    } else if (m_tokens.take("}")) {
      m_scopes.pop_back();
    } else if (!read_declaration()) {
      if (m_tokens.token().kind == Token::word && m_tokens.is_label()) {
        read_label();
      } else {
        read_instruction();
      }
    }
  }
}

bool FunctionParser::read_declaration() {
  if (m_tokens.is(".loc")) {
    m_place = m_declarations.read_location();
  } else if (m_tokens.take(".file")) {
    m_declarations.read_file();
  } else if (m_tokens.take(".reg")) {
    read_registers();
  } else if (m_tokens.is(".local") || m_tokens.is(".shared") || m_tokens.is(".param") ||
             m_tokens.is(".const") || m_tokens.is(".global")) {
    read_variable();
  } else if (m_tokens.take(".pragma")) {
    m_tokens.advance();
    m_tokens.expect(";");
  } else if (m_tokens.is(".callprototype") || m_tokens.is(".calltargets")) {
    while (!m_tokens.take(";")) m_tokens.advance();
  } else {
    return false;
  }
  return true;
}

void FunctionParser::read_registers() {
  const std::string type = m_tokens.word();
  auto& registers = m_scopes.back().registers;
  do {
    const std::string name = m_tokens.word();
    if (m_tokens.take("<")) {
      const std::int64_t count = m_tokens.integer();
      m_tokens.expect(">");
      for (std::int64_t k = 0; k < count; ++k) {
        registers[name + std::to_string(k)] = m_binder.add_register(type);
      }
    } else {
      registers[name] = m_binder.add_register(type);
    }
  } while (m_tokens.take(","));
  m_tokens.expect(";");
}

void FunctionParser::read_variable() {
  Variable v = m_declarations.read_variable();
  m_tokens.take(";");
  if (v.space == Space::local) {
    m_binder.add_local(v);
  } else if (v.space == Space::param) {
    m_scopes.back().parameters[v.name] =
        m_binder.add_parameter(v.bytes, std::max<std::size_t>(v.align, 8));
  } else {
    m_module.variables[v.name] = std::move(v);
  }
}

void FunctionParser::read_label() {
  const std::string name = m_tokens.word();
  m_tokens.expect(":");
  if (m_tokens.take(".branchtargets")) {
    auto& list = m_label_lists[name];
    do list.push_back(m_tokens.word());
    while (m_tokens.take(","));
    m_tokens.expect(";");
  } else if (m_tokens.is(".callprototype") || m_tokens.is(".calltargets")) {
    while (!m_tokens.take(";")) m_tokens.advance();
  } else {
    m_labels[name] = static_cast<std::int32_t>(m_function->code.size());
  }
}

const std::uint32_t* FunctionParser::find_register(const std::string& name) const {
  for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope) {
    const auto found = scope->registers.find(name);
    if (found != scope->registers.end()) return &found->second;
  }
  return nullptr;
}

const std::size_t* FunctionParser::find_parameter(const std::string& name) const {
  for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope) {
    const auto found = scope->parameters.find(name);
    if (found != scope->parameters.end()) return &found->second;
  }
  return nullptr;
}

Operand FunctionParser::read_operand(bool in_address) {
  Operand operand;
  if (m_tokens.take("_")) return operand;
  operand.is_negated = m_tokens.take("!");
  const bool is_minus = m_tokens.take("-");
  if (m_tokens.token().kind == Token::number) {
    operand.kind = Operand::number;
    operand.form = m_tokens.token().form;
    operand.bits = is_minus ? 0 - m_tokens.token().bits : m_tokens.token().bits;
    m_tokens.advance();
    return operand;
  }
  operand.name = m_tokens.word();
  if (const std::uint32_t* slot = find_register(operand.name)) {
    operand.kind = Operand::variable;
    operand.slot = *slot;
  } else if (const std::size_t* offset = find_parameter(operand.name)) {
    operand.kind = Operand::number;
    operand.bits = *offset;
  } else {
    operand.kind = operand.name[0] == '%' ? Operand::special : Operand::symbol;
    if (!in_address && m_tokens.take("+")) {
      operand.bits = static_cast<std::uint64_t>(m_tokens.integer());
    }
  }
  return operand;
}

void FunctionParser::read_list(std::vector<Operand>& list) {
  m_tokens.expect("{");
  do list.push_back(read_operand());
  while (m_tokens.take(","));
  m_tokens.expect("}");
  if (list.size() > 4) m_tokens.fail("more than four values in a list");
}

void FunctionParser::read_address(Operands& operands) {
  operands.has_address = true;
  m_tokens.expect("[");
  operands.base = read_operand(true);
  while (m_tokens.is("+") || m_tokens.is("-")) {
    const bool is_minus = m_tokens.is("-");
    m_tokens.advance();
    const std::int64_t more = m_tokens.integer();
    operands.offset += is_minus ? -more : more;
  }
  m_tokens.expect("]");
}

void FunctionParser::read_operands(const Opcode& opcode, Operands& operands) {
  bool is_result = has_result(opcode);
  while (!m_tokens.is(";")) {
    if (m_tokens.is("[")) {
      read_address(operands);
    } else if (m_tokens.is("{")) {
      (is_result ? operands.has_list_to : operands.has_list_from) = true;
      read_list(is_result ? operands.to : operands.from);
      is_result = false;
    } else if (is_result) {
      operands.to.push_back(read_operand());
      if (m_tokens.take("|")) operands.to.push_back(read_operand());
      is_result = false;
    } else {
      operands.from.push_back(read_operand());
    }
    if (!m_tokens.take(",")) return;
  }
}

void FunctionParser::read_instruction() {
  Instruction i;
  i.place = m_place;
  i.line = m_tokens.line();
  i.text_begin = m_tokens.begin();
  if (m_module.place_of_line.size() <= i.line) m_module.place_of_line.resize(i.line + 1, -1);
  m_module.place_of_line[i.line] = m_place;
  i.predicate = Binder::always;
  if (m_tokens.take("@")) {
    if (m_tokens.take("!")) i.invert = ~0U;
    const std::uint32_t* slot = find_register(m_tokens.word());
    if (slot == nullptr) m_tokens.fail("unknown predicate");
    i.predicate = *slot;
  }
  if (m_tokens.token().kind != Token::word) m_tokens.fail("expected an instruction");
  const Opcode opcode(m_tokens.token().value);
  Operands operands;
  if (opcode.name() == "call") {
    m_tokens.advance();
    read_call(i);
  } else if (opcode.name() == "bra" || opcode.name() == "brx") {
    m_tokens.advance();
    read_branch(opcode, i);
  } else {
    // An unknown instruction is reported before its operands are read.
    Instruction tried;
    if (opcode.name() != "mov" && find_shape(opcode, tried).run == nullptr) {
      m_tokens.fail("unknown instruction " + opcode.text);
    }
    m_tokens.advance();
    read_operands(opcode, operands);
    i.text_bytes = m_tokens.begin() + 1 - i.text_begin;
    m_binder.add(opcode, operands, i);
    m_tokens.expect(";");
    return;
  }
  i.text_bytes = m_tokens.begin() + 1 - i.text_begin;
  m_tokens.expect(";");
  m_binder.append(i);
}

void FunctionParser::read_branch(const Opcode& opcode, Instruction& i) {
  i.run = find_shape(opcode, i).run;
  if (i.run == nullptr) m_tokens.fail("unknown instruction " + opcode.text);
  if (opcode.name() == "bra") {
    m_branches.emplace_back(m_function->code.size(), m_tokens.word());
    return;
  }
  i.from[0] = m_binder.source(read_operand(), Row::narrow, opcode);
  m_tokens.expect(",");
  m_indexed.emplace_back(m_function->code.size(), m_tokens.word());
}

void FunctionParser::add_parameter_name(Call& call, bool is_result) {
  const std::size_t* offset = find_parameter(m_tokens.word());
  if (offset == nullptr) m_tokens.fail("unknown parameter");
  (is_result ? call.results : call.arguments).push_back(static_cast<std::uint32_t>(*offset));
}

void FunctionParser::read_call(Instruction& i) {
  i.run = run_call;
  m_function->calls.push_back(std::make_unique<Call>());
  Call& call = *m_function->calls.back();
  i.call = &call;
  if (m_tokens.take("(")) {
    do add_parameter_name(call, true);
    while (m_tokens.take(","));
    m_tokens.expect(")");
    m_tokens.expect(",");
  }
  call.name = m_tokens.word();
  if (find_register(call.name) != nullptr) m_tokens.fail("calls by pointers are not known");
  if (!m_tokens.take(",")) return;
  m_tokens.expect("(");
  while (!m_tokens.take(")")) {
    add_parameter_name(call, false);
    m_tokens.take(",");
  }
  if (m_tokens.take(",")) m_tokens.word();
}

void FunctionParser::resolve_labels() {
  const auto number_of = [&](const std::string& label) {
    const auto found = m_labels.find(label);
    if (found == m_labels.end()) m_tokens.fail("unknown label " + label);
    return found->second;
  };
  for (const auto& [at, label] : m_branches) m_function->code[at].target = number_of(label) + 1;
  for (const auto& [at, list] : m_indexed) {
    std::vector<std::int32_t> table;
    for (const std::string& label : m_label_lists[list]) table.push_back(number_of(label));
    m_function->tables.push_back(std::move(table));
    m_function->code[at].target = -static_cast<std::int32_t>(m_function->tables.size());
  }
}

}  // namespace emulator
