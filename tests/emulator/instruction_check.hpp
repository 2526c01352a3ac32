// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Runs one instruction on many values, and compares each result with a function of the host.
#pragma once

#include "device_array.hpp"
#include "lanes.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace emulator {

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, float>)
    return "f32";
  else if constexpr (std::is_same_v<T, double>)
    return "f64";
  else if constexpr (std::is_signed_v<T>) {
    return sizeof(T) == 1 ? "s8" : sizeof(T) == 2 ? "s16" : sizeof(T) == 4 ? "s32" : "s64";
  } else {
    return sizeof(T) == 1 ? "u8" : sizeof(T) == 2 ? "u16" : sizeof(T) == 4 ? "u32" : "u64";
  }
}

/// Values where something changes, and some drawn ones.
template <class T>
std::vector<T> values_of_type() {
  using Limits = std::numeric_limits<T>;
  std::mt19937_64 random(42);
  std::vector<T> values;
  if constexpr (std::is_floating_point_v<T>) {
    for (const double v :
         {0.0, 0.5, 1.0, 1.5, 2.5, 3.7, 100.25, 65504.0, 2147483648.0, 1e19, 1e-3}) {
      values.push_back(static_cast<T>(v));
      values.push_back(static_cast<T>(-v));
    }
    for (const T v : {Limits::min(), Limits::denorm_min(), Limits::max(), Limits::infinity()}) {
      values.push_back(v);
      values.push_back(-v);
    }
    values.push_back(Limits::quiet_NaN());
    for (int k = 0; k < 6; ++k) {
      values.push_back(static_cast<T>(std::ldexp(static_cast<double>(random() % 100000) - 50000,
                                                 static_cast<int>(random() % 40) - 30)));
    }
  } else {
    for (const int v : {0, 1, 2, 3, 7, 8, 31, 32, 33, 64}) {
      values.push_back(static_cast<T>(v));
      values.push_back(static_cast<T>(0 - static_cast<u64>(v)));
    }
    for (const T v : {Limits::min(), Limits::max()}) values.push_back(v);
    for (int k = 0; k < 8; ++k) values.push_back(static_cast<T>(random() >> (random() % 56)));
  }
  return values;
}

/// All tuples of the values of their types.
template <class... Inputs>
std::vector<std::tuple<Inputs...>> all_tuples() {
  std::vector<std::tuple<>> none{{}};
  const auto extend = [](const auto& before, const auto& values) {
    using Value = typename std::decay_t<decltype(values)>::value_type;
    using Before = typename std::decay_t<decltype(before)>::value_type;
    std::vector<decltype(std::tuple_cat(Before(), std::tuple<Value>()))> made;
    for (const auto& b : before) {
      for (const Value& v : values) made.push_back(std::tuple_cat(b, std::tuple<Value>(v)));
    }
    return made;
  };
  if constexpr (sizeof...(Inputs) == 1) {
    return extend(none, values_of_type<std::tuple_element_t<0, std::tuple<Inputs...>>>());
  } else if constexpr (sizeof...(Inputs) == 2) {
    using Both = std::tuple<Inputs...>;
    return extend(extend(none, values_of_type<std::tuple_element_t<0, Both>>()),
                  values_of_type<std::tuple_element_t<1, Both>>());
  } else {
    using All = std::tuple<Inputs...>;
    auto third = values_of_type<std::tuple_element_t<2, All>>();
    third.resize(std::min<std::size_t>(third.size(), 24));
    return extend(extend(extend(none, values_of_type<std::tuple_element_t<0, All>>()),
                         values_of_type<std::tuple_element_t<1, All>>()),
                  third);
  }
}

template <class T>
bool is_same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  }
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// The declaration of a register of that type, and its load.
template <class T>
std::string declared(const std::string& name) {
  constexpr int bits = sizeof(T) < 4 ? 16 : 8 * static_cast<int>(sizeof(T));
  return ".reg .b" + std::to_string(bits) + " " + name + ";\n";
}

template <class T>
std::string loaded(const std::string& name, int parameter) {
  const std::string number = std::to_string(parameter);
  return declared<T>(name) + "ld.param.u64 %base, [p" + number + "];\n" +
         "mad.lo.u64 %at, %index, " + std::to_string(sizeof(T)) + ", %base;\n" + "ld.global." +
         type_name<T>() + " " + name + ", [%at];\n";
}

/// The kernel that runs the instruction for each tuple: %d is the result, %a, %b and %c are
/// its operands. A result of type bool is a predicate.
template <class Result, class... Inputs>
std::string instruction_kernel(const std::string& instruction) {
  static const char* names[] = {"%a", "%b", "%c"};
  std::string parameters = ".param .u64 out, .param .u32 count", loads;
  int k = 0;
  ((parameters += ", .param .u64 p" + std::to_string(k), loads += loaded<Inputs>(names[k], k), ++k),
   ...);
  std::string body =
      ".reg .b64 %base, %at, %index;\n.reg .b32 %i, %n, %thread, %threads, %flag;\n"
      ".reg .pred %beyond;\n"
      "mov.u32 %i, %ctaid.x;\nmov.u32 %threads, %ntid.x;\nmov.u32 %thread, %tid.x;\n"
      "mad.lo.u32 %i, %i, %threads, %thread;\nld.param.u32 %n, [count];\n"
      "setp.ge.u32 %beyond, %i, %n;\n@%beyond bra END;\ncvt.u64.u32 %index, %i;\n" +
      loads;
  constexpr bool is_flag = std::is_same_v<Result, bool>;
  using Stored = std::conditional_t<is_flag, u8, Result>;
  body += is_flag ? ".reg .pred %d;\n" : declared<Stored>("%d");
  body += instruction + "\nld.param.u64 %base, [out];\nmad.lo.u64 %at, %index, " +
          std::to_string(sizeof(Stored)) + ", %base;\n";
  if (is_flag)
    body += "selp.b32 %flag, 1, 0, %d;\nst.global.u8 [%at], %flag;\n";
  else
    body += std::string("st.global.") + type_name<Stored>() + " [%at], %d;\n";
  return kernel_text(parameters, body + "END:");
}

template <class T, std::size_t k, class Tuples>
std::vector<T> column(const Tuples& tuples) {
  std::vector<T> values;
  for (const auto& tuple : tuples) values.push_back(std::get<k>(tuple));
  return values;
}

/// Runs the instruction for these tuples, in warps of which the last one is not full.
template <class Result, class... Inputs, std::size_t... Columns>
std::vector<std::conditional_t<std::is_same_v<Result, bool>, u8, Result>> results_of(
    const std::string& instruction, const std::vector<std::tuple<Inputs...>>& tuples,
    std::index_sequence<Columns...>) {
  using Stored = std::conditional_t<std::is_same_v<Result, bool>, u8, Result>;
  constexpr unsigned threads = 80;
  const auto count = static_cast<unsigned>(tuples.size());
  DeviceArray<Stored> out(tuples.size());
  const std::tuple<DeviceArray<Inputs>...> inputs{column<Inputs, Columns>(tuples)...};
  run_kernel(instruction_kernel<Result, Inputs...>(instruction),
             {.teams = (count + threads - 1) / threads, .threads = threads},
             Arguments(out, count, std::get<Columns>(inputs)...));
  return out.values();
}

/// Compares the results with reference(inputs...), bit by bit; a NaN is like any other.
template <class Result, class... Inputs, class Reference>
void expect_instruction(
    const std::string& instruction, Reference reference,
    const std::vector<std::tuple<Inputs...>>& tuples = all_tuples<Inputs...>()) {
  const QuietMachine machine;
  const auto results =
      results_of<Result, Inputs...>(instruction, tuples, std::index_sequence_for<Inputs...>());
  int wrong = 0;
  for (std::size_t k = 0; k < tuples.size(); ++k) {
    const Result expected = std::apply(reference, tuples[k]);
    const auto got = static_cast<Result>(results[k]);
    if (is_same(got, expected) || ++wrong > 3) continue;
    ADD_FAILURE() << instruction << " of " << testing::PrintToString(tuples[k]) << " is " << +got
                  << ", not " << +expected;
  }
  EXPECT_EQ(wrong, 0) << instruction << ": " << wrong << " of " << tuples.size() << " are wrong";
  EXPECT_EQ(fault_lines(), "") << instruction;
}

}  // namespace emulator
