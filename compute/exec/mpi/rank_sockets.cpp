#include "compute/exec/mpi/rank_sockets.h"

#include "compute/exec/mpi/rank_watch.h"
#include "core/error.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <random>
#include <sys/socket.h>
#include <unistd.h>

namespace haloscope::compute {

namespace {

constexpr int kCenters = 2;
constexpr int kPatienceMs = 20000;
constexpr int kTrialMs = 2000;
constexpr std::size_t kHead = 1 + sizeof(std::uint32_t);

// Where a rank listens: its IPv4 addresses, the machine's own first, and what callers must know.
struct Address {
  std::uint64_t password = 0;
  std::uint32_t count = 0;
  std::uint32_t address[15]{};
  std::uint16_t port = 0;
};

struct Greeting {
  std::uint64_t password;
  std::int32_t rank;
};

bool ready(int descriptor, short what, int milliseconds) {
  pollfd one{descriptor, what, 0};
  return ::poll(&one, 1, milliseconds) == 1;
}

bool read_all(int descriptor, void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    if (!ready(descriptor, POLLIN, kTrialMs)) return false;
    const ssize_t some = ::recv(descriptor, at, bytes, 0);
    if (some <= 0) return false;
    at += some;
    bytes -= std::size_t(some);
  }
  return true;
}

bool write_all(int descriptor, const void* from, std::size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t some = ::send(descriptor, at, bytes, MSG_NOSIGNAL);
    if (some < 0 && errno == EINTR) continue;
    if (some < 0 && errno == EAGAIN && ready(descriptor, POLLOUT, kTrialMs)) continue;
    if (some <= 0) return false;
    at += some;
    bytes -= std::size_t(some);
  }
  return true;
}

void list_addresses(Address& own) {
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return;
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET) continue;
    if (own.count == std::size(own.address)) break;
    sockaddr_in address{};
    std::memcpy(&address, one->ifa_addr, sizeof address);
    own.address[own.count++] = address.sin_addr.s_addr;
  }
  ::freeifaddrs(all);
}

int listen_anywhere(Address& own) {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t length = sizeof any;
  if (listener < 0 || ::bind(listener, reinterpret_cast<sockaddr*>(&any), length) != 0 ||
      ::listen(listener, SOMAXCONN) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&any), &length) != 0)
    throw Error(std::string("ranks cannot watch each other: ") + std::strerror(errno), host_name());
  own.port = any.sin_port;
  std::random_device random;
  own.password = std::uint64_t(random()) << 32 | random();
  list_addresses(own);
  return listener;
}

int try_connect(std::uint32_t address, std::uint16_t port) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -1;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = address;
  to.sin_port = port;
  int fault = 0;
  socklen_t length = sizeof fault;
  if ((::connect(descriptor, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0 ||
       (errno == EINPROGRESS && ready(descriptor, POLLOUT, kTrialMs))) &&
      ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &fault, &length) == 0 && fault == 0)
    return descriptor;
  ::close(descriptor);
  return -1;
}

// A word back tells that it was the right one that answered.
int call(const Address& whom, int own_rank) {
  for (std::uint32_t i = 0; i < whom.count; ++i) {
    const int descriptor = try_connect(whom.address[i], whom.port);
    if (descriptor < 0) continue;
    const Greeting greeting{whom.password, own_rank};
    std::uint64_t answer = 0;
    if (write_all(descriptor, &greeting, sizeof greeting) &&
        read_all(descriptor, &answer, sizeof answer) && answer == ~whom.password)
      return descriptor;
    ::close(descriptor);
  }
  return -1;
}

void prepare(int descriptor) {
  const int on = 1;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  ::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  // A machine that has lost its power says nothing: asked after two seconds, it is lost after five.
  const int idle = 2, interval = 1, probes = 3;
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

// Those of higher rank, which call; strangers are sent away.
void answer_calls(int listener, const Address& own, int expected,
                  std::vector<RankSocket>& sockets) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  while (expected > 0 && std::chrono::steady_clock::now() < end) {
    if (!ready(listener, POLLIN, 100)) continue;
    const int descriptor = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (descriptor < 0) continue;
    Greeting greeting{};
    const std::uint64_t answer = ~own.password;
    if (read_all(descriptor, &greeting, sizeof greeting) && greeting.password == own.password &&
        write_all(descriptor, &answer, sizeof answer)) {
      prepare(descriptor);
      sockets.emplace_back(greeting.rank, descriptor);
      --expected;
    } else {
      ::close(descriptor);
    }
  }
}

// The first pair of ranks that are not connected, as caller and center.
void require_connected(Ranks& ranks, const std::vector<std::string>& hosts, int not_reached) {
  const std::vector<int> all = ranks.all_gather<int>(std::span<const int>(&not_reached, 1));
  for (int r = 0; r < ranks.size(); ++r)
    if (const int center = all[std::size_t(r)]; center >= 0)
      throw Error(rank_words(r, ranks.size(), hosts[std::size_t(r)]) + " cannot reach " +
                      rank_words(center, ranks.size(), hosts[std::size_t(center)]) + " by TCP",
                  {}, "allow connections between these machines");
}

}  // namespace

RankSocket::~RankSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

RankSocket::RankSocket(RankSocket&& other) noexcept
    : rank_(other.rank_), descriptor_(other.descriptor_), come_(std::move(other.come_)) {
  other.descriptor_ = -1;
}

void RankSocket::send(char letter, const std::string& text) const {
  const auto length = std::uint32_t(text.size());
  std::string message(1, letter);
  message.append(reinterpret_cast<const char*>(&length), sizeof length);
  message += text;
  write_all(descriptor_, message.data(), message.size());
}

bool RankSocket::receive() {
  char some[4096];
  for (;;) {
    const ssize_t count = ::recv(descriptor_, some, sizeof some, MSG_DONTWAIT);
    if (count > 0)
      come_.append(some, std::size_t(count));
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
      return false;
    else if (errno == EAGAIN)
      return true;
  }
}

bool RankSocket::next(char& letter, std::string& text) {
  std::uint32_t length = 0;
  if (come_.size() < kHead) return false;
  std::memcpy(&length, come_.data() + 1, sizeof length);
  if (come_.size() < kHead + length) return false;
  letter = come_[0];
  text = come_.substr(kHead, length);
  come_.erase(0, kHead + length);
  return true;
}

std::vector<RankSocket> connect_ranks(Ranks& ranks, const std::vector<std::string>& hosts) {
  const int self = ranks.rank(), centers = std::min(kCenters, ranks.size());
  Address own;
  const int listener = self < centers ? listen_anywhere(own) : -1;
  const std::vector<Address> all = ranks.all_gather<Address>(std::span<const Address>(&own, 1));
  std::vector<RankSocket> sockets;
  int not_reached = -1;
  for (int center = 0; center < std::min(self, centers); ++center) {
    const int descriptor = call(all[std::size_t(center)], self);
    if (descriptor < 0) {
      not_reached = center;
      break;
    }
    prepare(descriptor);
    sockets.emplace_back(center, descriptor);
  }
  if (listener >= 0) {
    answer_calls(listener, own, ranks.size() - 1 - self, sockets);
    ::close(listener);
  }
  require_connected(ranks, hosts, not_reached);
  return sockets;
}

}  // namespace haloscope::compute
