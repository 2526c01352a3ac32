// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "binder.hpp"

#include "declarations.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace emulator {
namespace {

Row row_of(char letter) {
  return letter == 'm' ? Row::mask : letter == 'w' ? Row::wide : Row::narrow;
}

const std::unordered_map<std::string, Special>& specials() {
  static const std::unordered_map<std::string, Special> known = {
      {"%tid.x", Special::tid_x},
      {"%tid.y", Special::tid_y},
      {"%tid.z", Special::tid_z},
      {"%ntid.x", Special::ntid_x},
      {"%ntid.y", Special::ntid_y},
      {"%ntid.z", Special::ntid_z},
      {"%ctaid.x", Special::ctaid_x},
      {"%ctaid.y", Special::ctaid_y},
      {"%ctaid.z", Special::ctaid_z},
      {"%nctaid.x", Special::nctaid_x},
      {"%nctaid.y", Special::nctaid_y},
      {"%nctaid.z", Special::nctaid_z},
      {"%laneid", Special::laneid},
      {"%warpid", Special::warpid},
      {"%nwarpid", Special::nwarpid},
      {"%lanemask_eq", Special::lanemask_eq},
      {"%lanemask_le", Special::lanemask_le},
      {"%lanemask_lt", Special::lanemask_lt},
      {"%lanemask_ge", Special::lanemask_ge},
      {"%lanemask_gt", Special::lanemask_gt},
      {"%dynamic_smem_size", Special::dynamic_smem_size},
      {"%total_smem_size", Special::total_smem_size},
      {"%smid", Special::smid},
      {"%nsmid", Special::nsmid},
      {"%gridid", Special::gridid},
  };
  return known;
}

bool is_clock(const std::string& name) {
  return name == "%clock" || name == "%clock64" || name == "%globaltimer" ||
         name == "%globaltimer_lo";
}

bool is_signed(const Opcode& opcode) {
  const std::string& type =
      opcode.name() == "cvt" ? opcode.parts[opcode.parts.size() - 2] : opcode.type();
  return type[0] == 's';
}

}  // namespace

Binder::Binder(Function& function, Module& module, const Tokens& tokens)
    : m_function(function), m_module(module), m_tokens(tokens) {
  add_slot({.row = Row::wide});
  add_slot({.row = Row::mask, .content = Content::constant, .value = 1});
}

std::uint32_t Binder::add_slot(Slot slot) {
  m_function.slots.push_back(std::move(slot));
  return static_cast<std::uint32_t>(m_function.slots.size()) - 1;
}

std::uint32_t Binder::add_register(const std::string& type) {
  const std::size_t bits = type.find("pred") != std::string::npos ? 1 : std::stoul(type.substr(2));
  if (bits > 64) m_tokens.fail("registers of more than 64 bits are not known");
  return add_slot({.row = bits == 1 ? Row::mask : bits == 64 ? Row::wide : Row::narrow});
}

void Binder::add_local(const Variable& variable) {
  std::size_t& bytes = m_function.local_bytes;
  bytes = (bytes + variable.align - 1) / variable.align * variable.align;
  m_locals[variable.name] = bytes;
  bytes += variable.bytes;
}

std::size_t Binder::add_parameter(std::size_t bytes, std::size_t align) {
  std::size_t& all = m_function.parameter_bytes;
  all = (all + align - 1) / align * align;
  const std::size_t at = all;
  all += bytes;
  return at;
}

std::uint32_t Binder::constant(std::uint64_t bits, Row row) {
  auto& slot = m_constants[{bits, row}];
  if (slot == 0) slot = add_slot({.row = row, .content = Content::constant, .value = bits});
  return slot;
}

Slot Binder::symbol(const std::string& name) {
  if (const auto local = m_locals.find(name); local != m_locals.end()) {
    return {.content = Content::local, .value = local->second};
  }
  if (const auto found = m_module.variables.find(name); found != m_module.variables.end()) {
    const bool is_shared = found->second.space == Space::shared;
    return {.content = is_shared ? Content::shared : Content::global, .name = name};
  }
  if (m_module.functions.count(name) != 0) return {.content = Content::constant};
  m_tokens.fail("unknown name " + name);
}

std::uint32_t Binder::named(const Operand& operand, Row row) {
  const std::string name = operand.name + "+" + std::to_string(operand.bits);
  auto& slot = m_named[{name, row}];
  if (slot != 0) return slot;
  Slot made;
  if (operand.kind == Operand::special) {
    const auto found = specials().find(operand.name);
    if (found == specials().end()) m_tokens.fail("unknown special register " + operand.name);
    made.content = Content::special;
    made.special = found->second;
  } else {
    made = symbol(operand.name);
  }
  made.row = row;
  made.addend = operand.bits;
  return slot = add_slot(std::move(made));
}

std::uint32_t Binder::converted_source(std::uint32_t slot, Row row, Handler convert) {
  Instruction i;
  i.run = convert;
  i.counts = 0;
  i.from[0] = slot;
  i.to[0] = add_slot({.row = row});
  m_before.push_back(i);
  return i.to[0];
}

std::uint32_t Binder::source(const Operand& operand, Row row, const Opcode& opcode) {
  if (operand.kind == Operand::nothing) return sink;
  if (operand.kind == Operand::number) {
    std::uint64_t bits = operand.bits;
    if (operand.form == 'd' && opcode.type() == "f32") {
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(bits)));
    }
    if (row == Row::mask) bits = bits != 0 ? 1 : 0;
    return constant(bits, row);
  }
  if (operand.kind != Operand::variable) return named(operand, row);
  const Row own = m_function.slots[operand.slot].row;
  if (own == row && operand.is_negated) return converted_source(operand.slot, row, not_mask);
  if (own == row) return operand.slot;
  if (own == Row::wide && row == Row::narrow)
    return converted_source(operand.slot, row, narrow_row);
  m_tokens.fail("an operand of another size than the type of " + opcode.text);
}

std::uint32_t Binder::result(const Operand& operand, Row row, const Opcode& opcode) {
  if (operand.kind == Operand::nothing) return sink;
  if (operand.kind != Operand::variable) m_tokens.fail("a result that is no register");
  const Row own = m_function.slots[operand.slot].row;
  if (own == row) return operand.slot;
  if (own != Row::wide || row != Row::narrow) {
    m_tokens.fail("a result of another size than the type of " + opcode.text);
  }
  Instruction i;
  i.run = is_signed(opcode) ? widen_signed : widen_unsigned;
  i.counts = 0;
  i.from[0] = add_slot({.row = row});
  i.to[0] = operand.slot;
  m_after.push_back(i);
  return i.from[0];
}

Shape Binder::find_move(const Opcode& opcode, const Operands& operands, Instruction& i) {
  const std::string& type = opcode.type();
  if (type == "pred") return {copy_mask, "m=m"};
  const std::size_t bits = 8 * bytes_of_type(type);
  if (bits == 0 || bits > 64) return {};
  const bool is_wide = bits == 64;
  const char letter = is_wide ? 'w' : 'n';
  if (operands.from.size() == 1 && operands.from[0].kind == Operand::special &&
      is_clock(operands.from[0].name)) {
    i.mode = is_wide ? 1 : 0;
    return {read_clock, std::string(1, letter) + "="};
  }
  const bool divides = operands.has_list_to;
  if (!divides && !operands.has_list_from) {
    return {is_wide ? copy_wide : copy_narrow, std::string{letter, '=', letter}};
  }
  const std::size_t count = (divides ? operands.to : operands.from).size();
  i.vector = static_cast<std::uint8_t>(count);
  i.mode = static_cast<std::uint8_t>(bits / count);
  const std::string parts(count, 'n'), whole(1, letter);
  const Row row = row_of(letter);
  return divides ? Shape{unpacking(row), parts + "=" + whole}
                 : Shape{packing(row), whole + "=" + parts};
}

void Binder::bind_address(const Operands& operands, Instruction& i) {
  i.offset = operands.offset;
  const Operand& base = operands.base;
  if (base.kind == Operand::number) {
    i.offset += static_cast<std::int64_t>(base.bits);
  } else if (base.kind == Operand::variable) {
    i.base = base.slot;
    i.base_row = m_function.slots[base.slot].row;
    if (i.base_row == Row::mask) m_tokens.fail("an address in a predicate");
  } else {
    i.base = named(base, Row::wide);
    i.base_row = Row::wide;
  }
}

void Binder::add(const Opcode& opcode, const Operands& operands, Instruction i) {
  const Shape shape =
      opcode.name() == "mov" ? find_move(opcode, operands, i) : find_shape(opcode, i);
  if (shape.run == nullptr) m_tokens.fail("unknown instruction " + opcode.text);
  i.run = shape.run;
  m_before.clear();
  m_after.clear();
  if (operands.has_address) bind_address(operands, i);
  const std::size_t equals = shape.rows.find('=');
  const bool may_be_wider = shape.rows[0] == '~';
  const std::string to = shape.rows.substr(may_be_wider, equals - may_be_wider),
                    from = shape.rows.substr(equals + 1);
  if (operands.to.size() > to.size() || operands.from.size() > from.size()) {
    m_tokens.fail("more operands than are known of " + opcode.text);
  }
  for (std::size_t k = 0; k < operands.to.size(); ++k) {
    i.to[k] = result(operands.to[k], row_of(to[k]), opcode);
  }
  for (std::size_t k = 0; k < operands.from.size(); ++k) {
    i.from[k] = source(operands.from[k], row_of(from[k]), opcode);
  }
  const bool converts = std::any_of(m_before.begin(), m_before.end(),
                                    [](const Instruction& b) { return b.run == narrow_row; });
  if ((converts || !m_after.empty()) && !may_be_wider) {
    m_tokens.fail("an operand of another size than the type of " + opcode.text);
  }
  const auto append_all = [&](std::vector<Instruction>& list) {
    for (Instruction& other : list) {
      other.predicate = i.predicate;
      other.invert = i.invert;
      other.place = i.place;
      other.line = i.line;
      append(other);
    }
  };
  append_all(m_before);
  append(i);
  append_all(m_after);
}

}  // namespace emulator
