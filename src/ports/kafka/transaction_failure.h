// Why the newest transaction of a producer failed, as far as librdkafka logs it.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

namespace neardup {

/// Keeps the reason that the library logged for a failed transaction. Later calls of the library
/// return only an error about the state, which does not name the partition. Any thread.
class TransactionFailure {
 public:
  void TransactionBegins();
  /// Call it with each line that the library logs.
  void Logged(std::string_view facility, std::string_view text);
  /// The reason; it names the partition if one is the cause. Empty if the library has logged no
  /// reason.
  std::string Text() const;

 private:
  mutable std::mutex mutex_;  ///< guards the members below
  std::string of_transaction_;
  std::string of_partition_;
};

}  // namespace neardup
