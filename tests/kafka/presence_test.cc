// A process that ends is seen to end; one that runs, or that was never reached, is not.
#include "kafka/presence.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace neardup {
namespace {

using testing::HasSubstr;

constexpr const char* kServers = "127.0.0.1:9092";
const std::string kElsewhere = "00000000000000ff";  ///< the network of another machine

std::unique_ptr<PresenceListener> Listener(uint16_t port = 0) {
  PresenceOptions options;
  options.port = port;
  return PresenceListener::New(options, kServers).value();
}

/// Waits for what must happen; the test runner ends a test that waits in vain.
template <class Condition>
void Await(Condition condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// Time for some attempts of a watch that must not come to another result.
void LetTimePass() { std::this_thread::sleep_for(std::chrono::milliseconds(300)); }

/// A listener that says a name to each connection, and closes it.
class BriefListener {
 public:
  explicit BriefListener(std::string greeting)
      : greeting_(std::move(greeting)), listening_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listening_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(listening_.get(), 16), 0);
    thread_ = std::thread([this] { Run(); });
  }
  ~BriefListener() {
    stop_ = true;
    thread_.join();
  }
  std::string port() const { return LocalEnd(listening_)->port; }
  int visits() const { return visits_; }

 private:
  void Run() {
    while (!stop_) {
      pollfd ready{listening_.get(), POLLIN, 0};
      if (poll(&ready, 1, 5) <= 0) continue;
      const Descriptor connection(accept(listening_.get(), nullptr, nullptr));
      EXPECT_GE(send(connection.get(), greeting_.data(), greeting_.size(), MSG_NOSIGNAL), 0);
      ++visits_;
    }
  }

  const std::string greeting_;
  Descriptor listening_;
  std::atomic<bool> stop_ = false;
  std::atomic<int> visits_ = 0;
  std::thread thread_;
};

TEST(Presence, AProcessThatEndsIsSeenToEndAndNotBefore) {
  auto listener = Listener();
  PresenceWatch watch;
  watch.Watch(TextOf(listener->endpoint()));
  LetTimePass();
  EXPECT_FALSE(watch.HasEnded());
  listener.reset();
  Await([&] { return watch.HasEnded(); });

  auto next = Listener();
  watch.Watch(TextOf(next->endpoint()));
  LetTimePass();
  EXPECT_FALSE(watch.HasEnded()) << "another process is watched";
  watch.Watch("");
  next.reset();
  LetTimePass();
  EXPECT_FALSE(watch.HasEnded()) << "nobody is watched";
}

TEST(Presence, AProcessOfAnotherMachineMustHaveBeenReached) {
  auto listener = Listener();
  Endpoint endpoint = listener->endpoint();
  endpoint.network = kElsewhere;
  {
    PresenceWatch reaches;
    reaches.Watch(TextOf(endpoint));
    LetTimePass();
    listener.reset();
    Await([&] { return reaches.HasEnded(); });
  }
  PresenceWatch never_reaches;
  never_reaches.Watch(TextOf(endpoint));
  LetTimePass();
  EXPECT_FALSE(never_reaches.HasEnded()) << "such an address may have been wrong all the time";
  endpoint.network = ThisNetwork();
  never_reaches.Watch(TextOf(endpoint));
  Await([&] { return never_reaches.HasEnded(); });
}

TEST(Presence, AnotherProcessInThePlaceOfTheWatchedOneShowsItsEnd) {
  auto listener = Listener();
  const std::string endpoint = TextOf(listener->endpoint());
  const auto port = static_cast<uint16_t>(std::stoi(listener->endpoint().port));
  PresenceWatch watch;
  watch.Watch(endpoint);
  LetTimePass();
  listener.reset();
  listener = Listener(port);
  EXPECT_NE(TextOf(listener->endpoint()), endpoint);
  Await([&] { return watch.HasEnded(); });
}

TEST(Presence, ClosedConnectionsOfAProcessThatRunsShowNothing) {
  const std::string process = "0123456789abcdef";
  const BriefListener listener(process + "\n");
  PresenceWatch watch;
  watch.Watch(TextOf({"127.0.0.1", listener.port(), process, ThisNetwork()}));
  Await([&] { return listener.visits() >= 5; });
  EXPECT_FALSE(watch.HasEnded());
}

TEST(Presence, AConnectionWithoutANameShowsNothing) {
  const BriefListener listener("0123");
  PresenceWatch watch;
  watch.Watch(TextOf({"127.0.0.1", listener.port(), "0123456789abcdef", ThisNetwork()}));
  Await([&] { return listener.visits() >= 5; });
  EXPECT_FALSE(watch.HasEnded());
}

TEST(Presence, AListenerServesMoreStandbysThanALaneHas) {
  auto listener = Listener();
  std::vector<std::unique_ptr<PresenceWatch>> watches;
  for (int i = 0; i < 20; ++i) {
    watches.push_back(std::make_unique<PresenceWatch>());
    watches.back()->Watch(TextOf(listener->endpoint()));
  }
  LetTimePass();
  for (const auto& watch : watches) EXPECT_FALSE(watch->HasEnded());
  listener.reset();
  for (const auto& watch : watches) Await([&] { return watch->HasEnded(); });
}

TEST(Presence, APortThatIsTakenIsRefusedAndTheSettingNamed) {
  const auto listener = Listener();
  PresenceOptions options;
  options.port = static_cast<uint16_t>(std::stoi(listener->endpoint().port));
  const auto second = PresenceListener::New(options, kServers);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().text, HasSubstr("lease.listen_port"));
}

TEST(Presence, AnAddressOfATranslatorIsAnnouncedAndNoNetworkIsClaimed) {
  PresenceOptions options;
  options.address = "192.0.2.7";  // of no machine
  const auto listener = PresenceListener::New(options, kServers).value();
  EXPECT_EQ(listener->endpoint().host, "192.0.2.7");
  EXPECT_EQ(listener->endpoint().network, "");
  Endpoint through = listener->endpoint();
  through.host = "127.0.0.1";
  through.network = ThisNetwork();
  PresenceWatch watch;
  watch.Watch(TextOf(through));
  LetTimePass();
  EXPECT_FALSE(watch.HasEnded()) << "it listens on all addresses";
}

class CountedLease : public Lease {
 public:
  explicit CountedLease(bool& released) : released_(released) {}
  void Join() override {}
  void Leave() override {}
  Result<bool> Held() override { return true; }
  void Release() override { released_ = true; }

 private:
  bool& released_;
};

TEST(WatchedLease, AStandbySeesTheEndBeforeTheLeaseIsFree) {
  bool released = false;
  WatchedLease active(std::make_unique<CountedLease>(released), Listener());
  bool other_released = false;
  WatchedLease standby(std::make_unique<CountedLease>(other_released), Listener());
  standby.Watch(active.endpoint());
  LetTimePass();
  EXPECT_FALSE(standby.WatchedHasEnded());
  active.Release();
  EXPECT_TRUE(released);
  EXPECT_NE(active.endpoint(), "") << "the lane may still ask for it";
  Await([&] { return standby.WatchedHasEnded(); });
}

}  // namespace
}  // namespace neardup
