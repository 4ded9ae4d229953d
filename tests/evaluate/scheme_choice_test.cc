#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/scheme_run.h"
#include "schemes/schemes.h"

namespace neardup {
namespace {

using testing::HasSubstr;

std::string ErrorOf(const std::string& text) {
  const auto choices = ParseSchemes({text});
  return choices.ok() ? "" : choices.error().text;
}

TEST(SchemeChoice, NothingNamedIsTheFilter) {
  const auto choices = ParseSchemes({});
  ASSERT_TRUE(choices.ok());
  ASSERT_EQ(choices->size(), 1);
  EXPECT_TRUE((*choices)[0].is_filter());
}

TEST(SchemeChoice, AllIsTheFilterAndEveryOther) {
  const auto choices = ParseSchemes({"all"});
  ASSERT_TRUE(choices.ok());
  EXPECT_EQ(choices->size(), SchemeNames().size() + 1);
  EXPECT_TRUE((*choices)[0].is_filter());
}

TEST(SchemeChoice, ParametersStandBehindColons) {
  const auto choices = ParseSchemes({"minhash:similarity_min=0.8:shingle_length=4"});
  ASSERT_TRUE(choices.ok()) << choices.error().text;
  EXPECT_EQ((*choices)[0].name, "minhash");
  EXPECT_EQ((*choices)[0].text, "minhash:similarity_min=0.8:shingle_length=4");
  EXPECT_EQ((*choices)[0].values.at("similarity_min"), 0.8);
  EXPECT_EQ((*choices)[0].values.at("shingle_length"), 4);
}

TEST(SchemeChoice, WhatCannotBeReadIsNamed) {
  EXPECT_THAT(ErrorOf("minihash"), HasSubstr("--scheme minihash: unknown; expected neardup, "));
  EXPECT_THAT(ErrorOf("minhash:fast"), HasSubstr("found \"fast\" after a colon"));
  EXPECT_THAT(ErrorOf("minhash:similarity_min=high"), HasSubstr("expected parameter=number"));
  EXPECT_THAT(ErrorOf("neardup:distance_max=3"), HasSubstr("--set"));
}

}  // namespace
}  // namespace neardup
