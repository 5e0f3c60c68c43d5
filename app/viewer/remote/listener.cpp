#include "app/viewer/remote/listener.h"

#include "app/viewer/remote/answer.h"
#include "core/error.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace haloscope::app::viewer {

namespace {

constexpr std::size_t kPiece = 16 * 1024;  // bytes that are read at once
// A pipe that takes something takes so much without blocking the thread (POSIX: PIPE_BUF).
constexpr std::size_t kPieceOfPipe = 4096;
constexpr int kForever = -1;
constexpr auto kLastWords = std::chrono::seconds(1);  // for what is still to be written
constexpr auto kTooManyFiles = std::chrono::milliseconds(100);

// Standard output for answers alone: what is printed, by whatever library, goes to standard error.
Descriptor take_standard_output() {
  std::cout.flush();
  Descriptor output(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
  if (!output) throw Error("standard output is closed", "--listen -", "give the path of a socket");
  if (::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    const Descriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    ::dup2(nowhere.number(), STDOUT_FILENO);
  }
  return output;
}

// A program that has gone is told by an error, and not by a signal that ends this one.
void block_broken_pipes() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

bool comes_later(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

void send_at_once(const Descriptor& client, const std::string& text) {
  [[maybe_unused]] const auto sent =
      ::send(client.number(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

Listener::Listener(const std::string& where, std::function<void()> wake_session)
    : bell_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      exchange_(std::move(wake_session), [this] { wake(); }) {
  if (!bell_) throw Error("the system has no files left", "--listen", "close other programs");
  if (where == kStandard) {
    standard_ = take_standard_output();
    begin(STDIN_FILENO, standard_.number());
  } else {
    socket_ = std::make_unique<LocalSocket>(where);
  }
  thread_ = std::thread([this] { loop(); });
}

Listener::~Listener() {
  exchange_.stop_waking();
  ends_ = true;
  wake();
  thread_.join();
  if (standard_) {
    std::cout.flush();
    ::dup2(standard_.number(), STDOUT_FILENO);
  }
}

void Listener::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(bell_.number(), &one, sizeof one);
}

void Listener::loop() {
  block_broken_pipes();
  while (!ends_) look(kForever);
  // Nothing more is read: what is left are answers.
  reads_ = false;
  const auto until = std::chrono::steady_clock::now() + kLastWords;
  while (out_ >= 0 && !hung_up_ && exchange_.has_output() &&
         std::chrono::steady_clock::now() < until)
    look(100);
}

// Waits until something can be done, and does it.
void Listener::look(int at_most_ms) {
  const bool reads = in_ >= 0 && reads_ && exchange_.has_room();
  const bool writes = out_ >= 0 && !hung_up_;
  std::array<pollfd, 4> asked{{{bell_.number(), POLLIN, 0},
                               {socket_ && !ends_ ? socket_->number() : -1, POLLIN, 0},
                               {reads ? in_ : -1, POLLIN, 0},
                               {writes ? out_ : -1, 0, 0}}};
  // Asked without an event too: somebody who hangs up is told all the same.
  if (writes && exchange_.has_output()) asked[3].events = POLLOUT;
  if (::poll(asked.data(), asked.size(), at_most_ms) < 0) return;
  std::uint64_t rings = 0;
  [[maybe_unused]] const auto taken = ::read(bell_.number(), &rings, sizeof rings);
  if (asked[1].revents != 0) admit();
  if (asked[2].revents != 0) read_some();
  if ((asked[3].revents & POLLOUT) != 0)
    write_some();
  else if (asked[3].revents != 0)
    hang_up();
  if (in_ >= 0 && !reads_ && (hung_up_ || exchange_.all_answered()) && !ends_) leave();
}

// One program at a time. Who is not let in hears why.
void Listener::admit() {
  Descriptor client = socket_->accept();
  if (!client) {
    // It would be told again and again.
    if (!comes_later(errno) && errno != ECONNABORTED) std::this_thread::sleep_for(kTooManyFiles);
    return;
  }
  if (!is_of_this_user(client))
    return send_at_once(client, greeting("only the user who runs this haloscope may drive it"));
  if (in_ >= 0)
    return send_at_once(
        client, greeting("another program drives this haloscope: try again when it has ended"));
  client_ = std::move(client);
  begin(client_.number(), client_.number());
}

void Listener::begin(int in, int out) {
  in_ = in;
  out_ = out;
  reads_ = true;
  hung_up_ = false;
  lines_ = {};
  exchange_.begin(greeting());
}

void Listener::read_some() {
  std::array<char, kPiece> piece;
  const auto bytes = ::read(in_, piece.data(), piece.size());
  if (bytes > 0) return exchange_.add(lines_.add({piece.data(), std::size_t(bytes)}));
  if (bytes < 0 && comes_later(errno)) return;
  reads_ = false;
  exchange_.add(lines_.end());
}

void Listener::write_some() {
  const std::string text = exchange_.output(client_ ? kPiece : kPieceOfPipe);
  const auto bytes = client_ ? ::send(out_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
                             : ::write(out_, text.data(), text.size());
  if (bytes >= 0)
    exchange_.written(std::size_t(bytes));
  else if (!comes_later(errno))
    hang_up();
}

// What it has sent is still read and done.
void Listener::hang_up() {
  hung_up_ = true;
  exchange_.drop_answers();
}

void Listener::leave() {
  exchange_.end();
  client_.reset();
  in_ = out_ = -1;
  if (standard_) exchange_.close();
}

}  // namespace haloscope::app::viewer
