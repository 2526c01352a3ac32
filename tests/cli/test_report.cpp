// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sentences of reports.
#include "tool/text/report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <limits>

namespace report_tests {
namespace {

using synelix::tool::in_one_line;
using synelix::tool::Json;
using synelix::tool::lines_of;
using synelix::tool::ReportLine;
using synelix::tool::sentence_of;

Json tree() {
  return {{"count", 1234567},
          {"zero", 0},
          {"one", 1},
          {"name", "a\nb\x1b[31m"},
          {"empty", ""},
          {"null", nullptr},
          {"no", false},
          {"nan", std::numeric_limits<double>::quiet_NaN()},
          {"infinite", std::numeric_limits<double>::infinity()},
          {"sizes", {3, 4000}},
          {"words", {"u", "v"}},
          {"none", Json::array()},
          {"inner", {{"bytes", 2048}, {"seconds", 0.25}}},
          {"items", {{{"id", 7}}, {{"id", 8}}, {{"id", 9}}}}};
}

TEST(Sentences, ValuesAndTheirForms) {
  EXPECT_EQ(
      sentence_of("{count} {count/plain} {inner.bytes/bytes} {inner.seconds/seconds}", tree()),
      "1,234,567 1234567 2 KiB 250 ms");
  EXPECT_EQ(sentence_of("{count/%.3g} {count/M%.2f} {inner.seconds/number}", tree()),
            "1.23e+06 1.23 0.25");
  EXPECT_EQ(sentence_of("{sizes} of {words} in {items/count}", tree()), "3 x 4,000 of u, v in 3");
  EXPECT_EQ(sentence_of("{one} thing{one/s}, {zero} thing{zero/s}", tree()), "1 thing, 0 things");
  EXPECT_EQ(sentence_of("{nan/%.4g} {infinite/%.4g}", tree()), "nan inf");
}

TEST(Sentences, TextsAreSafeForATerminal) {
  EXPECT_EQ(sentence_of("'{name}'", tree()), "'a\\nb\\x1b[31m'");
}

TEST(Sentences, PartsAreLeftOutWithTheirValues) {
  EXPECT_EQ(sentence_of("a[ {one}][ {absent}][ {null}][ {empty}][ {none}][ {no}][ {zero}]", tree()),
            "a 1 0");
  EXPECT_EQ(sentence_of("[{one}[ and {absent}]]", tree()), "1");
  EXPECT_EQ(sentence_of("[{?zero}x][{!zero}y][{?absent}x][{!absent}y][{?inner}z]", tree()), "yyz");
  EXPECT_EQ(sentence_of("[{+one}x][{+count}y][{&nan}x][{&zero}y]", tree()), "yy");
}

TEST(Sentences, ListsOfParts) {
  EXPECT_EQ(sentence_of("<{zero} a;{one} b;{count} c[ {absent}]>", tree()), "1 b, 1,234,567 c");
  EXPECT_EQ(sentence_of("x[: <{zero} a;{absent} b>]", tree()), "x");
}

TEST(Sentences, ForEachItem) {
  EXPECT_EQ(sentence_of("{items:{id}}", tree()), "7, 8, 9");
  EXPECT_EQ(sentence_of("{items:2:no {id}}", tree()), "no 7, no 8, ...");
  EXPECT_EQ(sentence_of("x{items:; {id}}", tree()), "x; 7; 8; 9");
  EXPECT_EQ(sentence_of("{inner:{key}={value/number}}", tree()), "bytes=2048, seconds=0.25");
}

TEST(ReportLines, HaveTheirNamesInAColumn) {
  static constexpr std::array lines{ReportLine{"first", "{one}"}, ReportLine{"left out", "[{no}]"},
                                    ReportLine{"a long name", "{bytes/bytes}", "inner"},
                                    ReportLine{"item", "{id}", "items", 2}};
  EXPECT_EQ(lines_of(lines, tree()),
            "first     1\n"
            "a long name 2 KiB\n"
            "item      7\n"
            "item      8\n"
            "          1 more\n");
}

TEST(Trees, NumbersThatAreNotFiniteAreNull) {
  EXPECT_EQ(in_one_line({{"nan", tree()["nan"]}, {"infinite", tree()["infinite"]}}),
            R"({"nan":null,"infinite":null})");
}

}  // namespace
}  // namespace report_tests
