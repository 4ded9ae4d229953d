// Memory that runs out at any moment is a status.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "bindings/c_caller.h"
#include "detect/base/temporary_folder.h"

namespace {

/// Allocations until one fails; negative: none fails.
std::atomic<int64_t> allocations_left = -1;
/// Smaller allocations neither count nor fail.
std::atomic<std::size_t> bytes_min = 0;

void* AllocatedOrNull(std::size_t bytes) {
  const bool counts = bytes >= bytes_min && allocations_left.load() >= 0;
  if (counts && allocations_left.fetch_sub(1) == 0) return nullptr;
  return std::malloc(bytes == 0 ? 1 : bytes);
}

void* Allocated(std::size_t bytes) {
  void* const memory = AllocatedOrNull(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return Allocated(bytes); }
void* operator new[](std::size_t bytes) { return Allocated(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return AllocatedOrNull(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return AllocatedOrNull(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace neardup {
namespace {

/// The destructors of nlohmann_json allocate some kilobytes, and end the process where they cannot.
/// Of the calls that read or write settings, only larger allocations fail here.
constexpr size_t kBesideJson = size_t{8} << 10;

/// Calls with the n-th allocation of at least `bytes` failing, for each n until the call is not
/// disturbed. `begin` is called before each call.
void ExpectAStatusWherever(size_t bytes, const std::function<void()>& begin,
                           const std::function<neardup_status(char** error)>& call) {
  bool disturbed = true;
  int64_t failed = 0;
  for (int64_t n = 0; disturbed; ++n) {
    begin();
    GivenText error;
    bytes_min = bytes;
    allocations_left = n;
    const neardup_status status = call(error.place());
    disturbed = allocations_left.exchange(-1) < 0;
    // What can do without the memory goes on.
    ASSERT_TRUE(status == NEARDUP_OK || status == NEARDUP_OUT_OF_MEMORY)
        << n << ": " << neardup_status_name(status) << " " << error.str();
    EXPECT_EQ(status == NEARDUP_OK, error.is_null()) << n;
    failed += status == NEARDUP_OUT_OF_MEMORY ? 1 : 0;
  }
  EXPECT_GT(failed, 0);
}

class CMemory : public testing::Test {
 protected:
  void Renew() { filter_ = NewFilter(kTitles, 50); }

  const std::vector<std::string> payloads_ = SomePayloads(200, 13);
  const std::vector<neardup_record> records_ = RecordsOf(payloads_);
  std::vector<neardup_verdict> verdicts_ = PlacesFor(records_.size());
  const TemporaryFolder folder_;
  const std::string path_ = folder_.path() / "state.nd";
  OwnedFilter filter_;
};

TEST_F(CMemory, ForANewFilter) {
  ExpectAStatusWherever(
      kBesideJson, [] {},
      [&](char** error) {
        neardup_filter* made = nullptr;
        const neardup_status status = neardup_filter_new(kTitles, nullptr, &made, error);
        EXPECT_EQ(status == NEARDUP_OK, made != nullptr);
        neardup_filter_free(made);
        return status;
      });
}

TEST_F(CMemory, ForDecisionsAfterWhichTheFilterIsBroken) {
  int broken = 0;
  ExpectAStatusWherever(
      0, [&] { Renew(); },
      [&](char** error) {
        const neardup_status status = neardup_filter_decide(
            filter_.get(), records_.data(), records_.size(), verdicts_.data(), error);
        if (status != NEARDUP_OK) {
          // Before the first decision, the filter is still whole.
          GivenText why;
          const neardup_status next = neardup_filter_commit(filter_.get(), why.place());
          EXPECT_TRUE(next == NEARDUP_BROKEN || next == NEARDUP_OK);
          EXPECT_EQ(next == NEARDUP_OK, why.is_null());
          broken += next == NEARDUP_BROKEN ? 1 : 0;
        }
        return status;
      });
  EXPECT_GT(broken, 0);
}

TEST_F(CMemory, ForAllElseButLearning) {
  Renew();
  const auto nothing = [] {};
  ExpectAStatusWherever(0, nothing, [&](char** error) {
    return neardup_filter_check(filter_.get(), records_.data(), records_.size(), verdicts_.data(),
                                error);
  });
  Decide(filter_.get(), records_);
  ASSERT_EQ(neardup_filter_save(filter_.get(), path_.c_str(), nullptr), NEARDUP_OK);
  ExpectAStatusWherever(kBesideJson, nothing, [&](char** error) {
    neardup_filter* made = nullptr;
    const neardup_status status = neardup_filter_load(path_.c_str(), nullptr, &made, error);
    neardup_filter_free(made);
    return status;
  });
  const auto decided = [&] {
    Renew();
    Decide(filter_.get(), records_);
  };
  ExpectAStatusWherever(kBesideJson, decided, [&](char** error) {
    return neardup_filter_save(filter_.get(), path_.c_str(), error);
  });
}

}  // namespace
}  // namespace neardup
