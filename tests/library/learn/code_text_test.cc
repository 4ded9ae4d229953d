#include "learn/code_text.h"

#include <gtest/gtest.h>

namespace neardup {
namespace {

TEST(IsCodeText, TakesWhatNamesSomethingAndSaysNothing) {
  for (const char* text :
       {"550e8400-e29b-41d4-a716-446655440000", "d41d8cd98f00b204e9800998ecf8427e",
        "https://example.org/news/2026/a-title?id=1", "s3://bucket/key", "www.example.org",
        "example.co.uk", "MDEwOlJlcG9zaXRvcnkxODY4NTMyNjE=", "run_20261122T101500Z_7f3a"}) {
    EXPECT_TRUE(IsCodeText(text)) << text;
  }
}

TEST(IsCodeText, LeavesWhatAPersonReads) {
  for (const char* text :
       {"", "word", "a title of five words", "12345678901234567890", "internationalisation",
        "see https://example.org for more", "3.14", "v2.0", "Dr. Who", "end.", ".net", "a..b",
        "state-of-the-art-design", "北京新闻中心发布会二零二六"}) {
    EXPECT_FALSE(IsCodeText(text)) << text;
  }
}

TEST(NamesMachineNumber, KnowsTheLastPartOfAPath) {
  for (const char* field : {"pid", "PID", "/process/pid", "process_id", "threadId", "src-port"}) {
    EXPECT_TRUE(NamesMachineNumber(field)) << field;
  }
  for (const char* field : {"price", "pi", "pids", "/pid/value", "rapid", "", "report"}) {
    EXPECT_FALSE(NamesMachineNumber(field)) << field;
  }
}

}  // namespace
}  // namespace neardup
