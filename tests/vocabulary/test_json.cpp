// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "vocabulary/json.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

// JSON texts as RFC 8259 has them: what is one, what is none, and what is read of them.

namespace {

using synelix::Json;
using synelix::json_text;
using synelix::parse_json;

TEST(Json, IsReadAndWrittenAgain) {
  for (const std::string text :
       {"null", "true", "false", "0", "-0", "-12.5e+3", "1E9", "123456789012345678901234567890",
        R"("")", R"("a b")", R"("\"\\")", "[]", "{}", R"([1,[2,[]],{"a":null,"b":[true,false]}])",
        R"({"a":1,"a":2})", "\"\xc3\xa4\""}) {
    const std::optional<Json> value = parse_json(text);
    ASSERT_TRUE(value.has_value()) << text;
    EXPECT_EQ(json_text(*value, false), text);
    EXPECT_EQ(json_text(parse_json(" \t\r\n" + json_text(*value) + "\n").value(), false), text);
  }
}

TEST(Json, HasAnItemInEachLine) {
  EXPECT_EQ(json_text(parse_json(R"({"a":[1,{}],"b":"x"})").value()),
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x\"\n}");
}

TEST(Json, RefusesWhatIsNone) {
  for (const std::string text : {"",
                                 " ",
                                 "nul",
                                 "nullx",
                                 "tru",
                                 "+1",
                                 "01",
                                 "-",
                                 "-a",
                                 "1.",
                                 ".5",
                                 "1e",
                                 "1e+",
                                 "0x1",
                                 "NaN",
                                 "Infinity",
                                 "\"",
                                 "\"a",
                                 "\"\\\"",
                                 R"("\x")",
                                 R"("\u12")",
                                 R"("\u12g4")",
                                 R"("\ud800")",
                                 R"("\ud800\u0041")",
                                 R"("\udc00")",
                                 "\"\n\"",
                                 "'a'",
                                 "[",
                                 "]",
                                 "[1",
                                 "[1,",
                                 "[1,]",
                                 "[,1]",
                                 "[1 2]",
                                 "{",
                                 "{a:1}",
                                 "{\"a\"}",
                                 "{\"a\":}",
                                 "{\"a\":1,}",
                                 "{\"a\" 1}",
                                 "{1:1}",
                                 "[1}",
                                 "1 2",
                                 "[] []",
                                 "// a\n1"}) {
    EXPECT_FALSE(parse_json(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_json(std::string(500, '\0')).has_value());
  EXPECT_FALSE(parse_json(std::string("\"a\0b\"", 5)).has_value());
}

TEST(Json, IsNestedToABound) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(parse_json(nested(64)).has_value());
  EXPECT_FALSE(parse_json(nested(66)).has_value());
  EXPECT_FALSE(parse_json(std::string(10'000'000, '[')).has_value());
}

TEST(Json, KnowsCharactersByTheirEscapes) {
  const std::optional<Json> value = parse_json(R"("\b\f\n\r\t\/\u0041\u00e4\u20ac\ud83d\ude00")");
  ASSERT_TRUE(value.has_value());
  EXPECT_EQ(value->text, "\b\f\n\r\t/A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(json_text(Json::of_text("a\n\x1f\"")), R"("a\u000a\u001f\"")");
}

TEST(Json, GivesNumbers) {
  const auto number = [](const char* text) { return parse_json(text).value().number(); };
  const auto whole = [](const char* text) { return parse_json(text).value().whole_number(); };
  EXPECT_EQ(number("-12.5e-1"), -1.25);
  EXPECT_EQ(number("7"), 7.0);
  EXPECT_EQ(number("1e999"), std::nullopt);
  EXPECT_EQ(number("\"1\""), std::nullopt);
  EXPECT_EQ(whole("-7"), -7);
  EXPECT_EQ(whole("7.0"), std::nullopt);
  EXPECT_EQ(whole("7e2"), std::nullopt);
  EXPECT_EQ(whole("99999999999999999999"), std::nullopt);
  EXPECT_EQ(whole("true"), std::nullopt);
  EXPECT_EQ(Json::of_number(0.1).number(), 0.1);
  EXPECT_EQ(Json::of_number(std::int64_t{1} << 40).text, "1099511627776");
}

TEST(Json, FindsTheLastMemberOfAName) {
  const Json value = parse_json(R"({"a":1,"b":2,"a":3})").value();
  ASSERT_NE(value.find("a"), nullptr);
  EXPECT_EQ(value.find("a")->whole_number(), 3);
  EXPECT_EQ(value.find("c"), nullptr);
  EXPECT_EQ(parse_json("[1]").value().find("a"), nullptr);
}

}  // namespace
