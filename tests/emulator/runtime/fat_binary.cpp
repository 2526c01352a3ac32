// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "fat_binary.hpp"

#include "../settings.hpp"

#include <elf.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace emulator {
namespace {

template <class T>
T read_at(const unsigned char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

class ElfFile {
 public:
  explicit ElfFile(const unsigned char* data) : m_data(data), m_head(read_at<Elf64_Ehdr>(data)) {}

  bool is_elf() const { return std::memcmp(m_head.e_ident, ELFMAG, SELFMAG) == 0; }
  int sections() const { return m_head.e_shnum; }
  Elf64_Shdr section(int k) const {
    return read_at<Elf64_Shdr>(m_data + m_head.e_shoff +
                               static_cast<std::size_t>(k) * m_head.e_shentsize);
  }
  std::string text(const Elf64_Shdr& strings, std::uint32_t at) const {
    return reinterpret_cast<const char*>(m_data + strings.sh_offset + at);
  }
  std::string name(const Elf64_Shdr& of) const {
    return text(section(m_head.e_shstrndx), of.sh_name);
  }
  const unsigned char* bytes(const Elf64_Shdr& of) const { return m_data + of.sh_offset; }

 private:
  const unsigned char* m_data;
  Elf64_Ehdr m_head;
};

/// Records of a format, an attribute and a size. Attribute 0x2f: the registers of a function.
void read_registers(const ElfFile& elf, std::map<std::string, int>& registers) {
  constexpr unsigned char sized = 4, register_count = 0x2f;
  Elf64_Shdr symbols{}, strings{}, facts{};
  for (int k = 0; k < elf.sections(); ++k) {
    const Elf64_Shdr s = elf.section(k);
    if (s.sh_type == SHT_SYMTAB) {
      symbols = s;
      strings = elf.section(static_cast<int>(s.sh_link));
    }
    if (elf.name(s) == ".nv.info") facts = s;
  }
  for (std::uint64_t at = 0; at + 4 <= facts.sh_size;) {
    const unsigned char* record = elf.bytes(facts) + at;
    const std::size_t bytes = record[0] == sized ? read_at<std::uint16_t>(record + 2) : 0;
    if (record[0] == sized && record[1] == register_count && bytes == 8) {
      const auto number = read_at<std::uint32_t>(record + 4);
      const auto symbol =
          read_at<Elf64_Sym>(elf.bytes(symbols) + std::size_t{number} * sizeof(Elf64_Sym));
      registers[elf.text(strings, symbol.st_name)] =
          static_cast<int>(read_at<std::uint32_t>(record + 8));
    }
    at += 4 + bytes;
  }
}

void write_ptx(const std::string& text) {
  static int count = 0;
  const std::string name = settings().dump + "/" + std::to_string(count++) + ".ptx";
  std::FILE* file = std::fopen(name.c_str(), "w");
  if (file == nullptr) return;
  std::fwrite(text.data(), 1, text.size(), file);
  std::fclose(file);
}

}  // namespace

FatBinaryContents read_fat_binary(const unsigned char* data) {
  constexpr std::uint32_t magic = 0xBA55ED50;
  constexpr std::uint16_t of_ptx = 1, of_elf = 2;
  constexpr std::uint64_t packed = 0xA000;
  if (read_at<std::uint32_t>(data) != magic) throw std::runtime_error("no fat binary");
  FatBinaryContents contents;
  const unsigned char* at = data + read_at<std::uint16_t>(data + 6);
  const unsigned char* const end = at + read_at<std::uint64_t>(data + 8);
  while (at < end) {
    const auto kind = read_at<std::uint16_t>(at);
    const auto head = read_at<std::uint32_t>(at + 4);
    const auto bytes = read_at<std::uint64_t>(at + 8);
    if ((read_at<std::uint64_t>(at + 40) & packed) != 0) {
      throw std::runtime_error("a packed fat binary; compile with --compress-mode=none");
    }
    if (kind == of_ptx) contents.ptx.assign(reinterpret_cast<const char*>(at + head), bytes);
    if (kind == of_elf) {
      const ElfFile elf(at + head);
      if (elf.is_elf()) read_registers(elf, contents.registers);
    }
    at += head + bytes;
  }
  contents.ptx.resize(std::strlen(contents.ptx.c_str()));
  if (contents.ptx.empty()) {
    throw std::runtime_error("a fat binary without PTX; compile with code=compute_90");
  }
  return contents;
}

Module& module_of(FatBinary& binary) {
  if (binary.module != nullptr) return *binary.module;
  FatBinaryContents contents = read_fat_binary(binary.data);
  if (!settings().dump.empty()) write_ptx(contents.ptx);
  binary.module = load(std::move(contents.ptx));
  for (const auto& [name, function] : binary.module->functions) {
    const auto found = contents.registers.find(name);
    if (found != contents.registers.end()) function->registers = found->second;
  }
  return *binary.module;
}

}  // namespace emulator
