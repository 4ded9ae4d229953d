// Callers that were compiled with another version of the header.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "bindings/c_caller.h"

namespace neardup {
namespace {

constexpr unsigned char kUntouched = 0xa5;

/// An array of structs with another size than the header says.
template <class Struct>
class Resized {
 public:
  Resized(size_t count, size_t size, unsigned char fill) : size_(size), bytes_(count * size, fill) {
    for (size_t i = 0; i < count; ++i) std::memcpy(at(i), &size, sizeof size);
  }

  Struct* data() { return reinterpret_cast<Struct*>(bytes_.data()); }
  unsigned char* at(size_t i) { return bytes_.data() + i * size_; }
  /// Fills a struct, as far as it goes.
  void Set(size_t i, Struct value) {
    value.struct_size = size_;
    std::memcpy(at(i), &value, std::min(size_, sizeof value));
  }
  /// A struct; the members that the array lacks come from `rest`.
  Struct Get(size_t i, Struct rest) {
    std::memcpy(&rest, at(i), std::min(size_, sizeof rest));
    return rest;
  }

 private:
  size_t size_;
  std::vector<unsigned char> bytes_;
};

TEST(CStructSize, AnOlderCallerGetsTheMembersThatItKnows) {
  const std::vector<std::string> payloads = SomePayloads(200, 7);
  std::vector<neardup_record> records = RecordsOf(payloads);
  for (neardup_record& record : records) record.time_ms = 0;
  const std::vector<neardup_verdict> expected = Decide(NewFilter().get(), records);
  constexpr size_t kRecordBytes = offsetof(neardup_record, time_ms);
  constexpr size_t kVerdictBytes = offsetof(neardup_verdict, reason);
  Resized<neardup_record> old(records.size(), kRecordBytes, 0);
  for (size_t i = 0; i < records.size(); ++i) old.Set(i, records[i]);
  // One more place than there are records shows a write past the end.
  Resized<neardup_verdict> places(records.size() + 1, kVerdictBytes, kUntouched);
  const std::string guard(reinterpret_cast<char*>(places.at(records.size())), kVerdictBytes);
  const OwnedFilter filter = NewFilter();
  ASSERT_EQ(neardup_filter_decide(filter.get(), old.data(), records.size(), places.data(), nullptr),
            NEARDUP_OK);
  for (size_t i = 0; i < records.size(); ++i) {
    const neardup_verdict found = places.Get(i, expected[i]);
    EXPECT_EQ(found.struct_size, kVerdictBytes);
    EXPECT_EQ(Shown(found), Shown(expected[i]));
  }
  EXPECT_EQ(std::string(reinterpret_cast<char*>(places.at(records.size())), kVerdictBytes), guard);

  Resized<neardup_statistics> statistics(2, offsetof(neardup_statistics, decided), kUntouched);
  ASSERT_EQ(neardup_filter_statistics(filter.get(), statistics.data(), nullptr), NEARDUP_OK);
  EXPECT_EQ(statistics.Get(0, {}).entries, StatisticsOf(filter.get()).entries);
  EXPECT_EQ(statistics.at(1)[sizeof(size_t)], kUntouched);

  Resized<neardup_options> options(1, offsetof(neardup_options, commit_records), 0);
  options.Set(0, {0, 3, 0});
  neardup_filter* made = nullptr;
  ASSERT_EQ(neardup_filter_new(kTitles, options.data(), &made, nullptr), NEARDUP_OK);
  EXPECT_EQ(Shown(Decide(OwnedFilter(made).get(), records)), Shown(expected));
}

TEST(CStructSize, ANewerCallerGetsZerosForWhatThisLibraryDoesNotKnow) {
  const std::vector<std::string> payloads = SomePayloads(200, 8);
  const std::vector<neardup_record> records = RecordsOf(payloads);
  const std::vector<neardup_verdict> expected = Decide(NewFilter().get(), records);
  // Sizes of which only the first may be a multiple of the alignment.
  for (const size_t more : {16, 3}) {
    const size_t record_bytes = sizeof(neardup_record) + more;
    const size_t verdict_bytes = sizeof(neardup_verdict) + more;
    Resized<neardup_record> longer(records.size(), record_bytes, 0);
    for (size_t i = 0; i < records.size(); ++i) longer.Set(i, records[i]);
    Resized<neardup_verdict> places(records.size(), verdict_bytes, kUntouched);
    ASSERT_EQ(neardup_filter_decide(NewFilter().get(), longer.data(), records.size(), places.data(),
                                    nullptr),
              NEARDUP_OK);
    for (size_t i = 0; i < records.size(); ++i) {
      EXPECT_EQ(Shown(places.Get(i, {})), Shown(expected[i]));
      const std::string rest(reinterpret_cast<char*>(places.at(i)) + sizeof(neardup_verdict), more);
      EXPECT_EQ(rest, std::string(more, '\0'));
    }
  }
}

TEST(CStructSize, ANewerCallerMayNotUseWhatThisLibraryDoesNotKnow) {
  Resized<neardup_options> options(1, sizeof(neardup_options) + 8, 0);
  options.at(0)[sizeof(neardup_options) + 5] = 1;
  neardup_filter* filter = nullptr;
  GivenText error;
  EXPECT_EQ(neardup_filter_new(kTitles, options.data(), &filter, error.place()),
            NEARDUP_INVALID_ARGUMENT);
  EXPECT_THAT(error.str(), testing::HasSubstr("options has a member at byte 29"));
}

}  // namespace
}  // namespace neardup
