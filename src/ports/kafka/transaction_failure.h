// Why the newest transaction of a producer failed, as far as librdkafka logs it.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

namespace neardup {

/// The calls after a failure say only that the state is wrong: no error code of them names the
/// partition. Any thread.
class TransactionFailure {
 public:
  void TransactionBegins();
  /// Call it with each line that the library logs.
  void Logged(std::string_view facility, std::string_view text);
  /// The reason; it names the partition if one is the cause. Empty: the library has logged nothing.
  std::string Text() const;

 private:
  mutable std::mutex mutex_;  ///< guards the members below
  std::string of_transaction_;
  std::string of_partition_;
};

}  // namespace neardup
