#include "compute/exec/mpi/rank_watch.h"

#include "compute/exec/mpi/rank_sockets.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <poll.h>
#include <set>
#include <sys/eventfd.h>
#include <thread>
#include <time.h>
#include <unistd.h>

namespace haloscope::compute {

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr int kAskEveryMs = 100;
// Ranks that fail for one reason do it at nearly one time, and are told in one sentence.
constexpr Milliseconds kForOthers{300};
// An interrupted job may be about to end by itself: its output has its name, and the folder is
// being flushed. Open MPI kills all ranks a second after the interruption.
constexpr Milliseconds kForTheWork{600};
// A rank that reports its fault waits so long for the end that is settled.
constexpr std::chrono::seconds kForTheEnd{4};
constexpr int kLostCode = 2, kInterruptedCode = 130;

// An MPI that meets a dead rank by itself may abort its process before anybody has told the user:
// UCX does. The watch gets this long first.
constexpr timespec kBeforeAbort{2, 0};

extern "C" void let_watch_speak(int) {
  timespec left = kBeforeAbort;
  while (::nanosleep(&left, &left) != 0) {
  }
}

// Letters of messages.
constexpr char kFailed = 'F';   // code and sentence of this rank
constexpr char kEnd = 'E';      // the user was told: end with this code
constexpr char kDone = 'D';     // nothing more comes from here
constexpr char kArrived = 'A';  // the work is done here

std::string packed(const RankEnd& end) {
  return fmt::format("{} {} {}", int(end.kind), end.code, end.sentence);
}

RankEnd unpacked(const std::string& text) {
  RankEnd end;
  const std::size_t first = text.find(' ');
  const std::size_t second = first == std::string::npos ? first : text.find(' ', first + 1);
  if (second == std::string::npos) return end;
  end.kind = RankEnd::Kind(std::atoi(text.c_str()));
  end.code = std::atoi(text.c_str() + first);
  end.sentence = text.substr(second + 1);
  return end;
}

class Watch final : public RankWatch {
 public:
  Watch(Ranks& ranks, Reactions reactions, double patience_s)
      : self_(ranks.rank()),
        size_(ranks.size()),
        reactions_(std::move(reactions)),
        patience_(int(patience_s * 1000)),
        hosts_(ranks.all_texts(host_name())),
        sockets_(connect_ranks(ranks, hosts_)),
        open_(sockets_.size(), true),
        done_(sockets_.size(), false),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        thread_([this] { watch(); }),
        former_abort_(std::signal(SIGABRT, let_watch_speak)) {}

  ~Watch() override {
    std::signal(SIGABRT, former_abort_);
    leaving_ = true;
    wake();
    thread_.join();
    ::close(wake_);
  }

  int report(const RankEnd& own) override {
    std::unique_lock lock(mutex_);
    if (!ended_) own_ = own;
    reported_ = true;
    wake();
    changed_.wait_for(lock, kForTheEnd, [&] { return ended_ != 0 && farewell_; });
    return ended_ != 0 ? ended_.load() : own.code;
  }

  int ended() const override { return ended_; }

  void arrive() override {
    const std::lock_guard lock(mutex_);
    arrived_.insert(self_);
    for (const RankSocket& socket : sockets_)
      if (socket.rank() == 0) socket.send(kArrived, "");
    wake();
  }

  void leave() override {
    const std::lock_guard lock(mutex_);
    left_ = true;
    for (const RankSocket& socket : sockets_) socket.send(kDone, "");
  }

 private:
  void wake() const {
    const std::uint64_t one = 1;
    const auto written = ::write(wake_, &one, sizeof one);
    (void)written;
  }

  void watch() {
    while (!finished()) {
      wait_for_news();
      const std::lock_guard lock(mutex_);
      read_sockets();
      if (!left_ && !asked_to_stop_ && reactions_.interrupted && reactions_.interrupted()) {
        asked_to_stop_ = true;
        stop_before_words(self_);
        if (!own_) own_ = RankEnd{RankEnd::Kind::Interrupted, {}, kInterruptedCode};
      }
      pass_on_own();
      if (!left_) settle();
      end_late_process();
    }
  }

  // After an end: once all whom this rank told it have heard it.
  bool finished() {
    const std::lock_guard lock(mutex_);
    if (!leaving_) return false;
    if (!told_ || Clock::now() > told_at_ + std::chrono::seconds(2)) return true;
    return farewell_;
  }

  void wait_for_news() {
    std::vector<pollfd> all{{wake_, POLLIN, 0}};
    for (std::size_t i = 0; i < sockets_.size(); ++i)
      if (open_[i]) all.push_back({sockets_[i].descriptor(), POLLIN, 0});
    ::poll(all.data(), nfds_t(all.size()), first_fault_ || told_ ? 20 : kAskEveryMs);
    std::uint64_t count = 0;
    const auto taken = ::read(wake_, &count, sizeof count);
    (void)taken;
  }

  void read_sockets() {
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      if (!open_[i]) continue;
      open_[i] = sockets_[i].receive();
      char letter = 0;
      std::string text;
      while (sockets_[i].next(letter, text)) hear(i, letter, text);
      if (!open_[i] && !done_[i]) lose(sockets_[i].rank());
    }
  }

  void hear(std::size_t from, char letter, const std::string& text) {
    if (letter == kDone) done_[from] = true;
    if (letter == kArrived) arrived_.insert(sockets_[from].rank());
    if (letter == kFailed) note(sockets_[from].rank(), unpacked(text));
    if (letter == kEnd && ended_ == 0) {
      for (const RankSocket& socket : sockets_) socket.send(kDone, "");
      end(unpacked(text).code);
    }
  }

  void lose(int rank) {
    if (left_ || ended_ != 0) return;
    lost_[rank] = true;
    note(rank, {RankEnd::Kind::Lost, {}, kLostCode});
  }

  void note(int rank, const RankEnd& end) {
    if (!first_fault_) first_fault_ = Clock::now();
    if (faults_.empty()) first_rank_ = rank;
    faults_.emplace(rank, end);
    if (end.kind == RankEnd::Kind::Interrupted) stop_before_words(rank);
  }

  // The user has interrupted `rank`: what this rank writes must not appear any more, for it may be
  // told soon that nothing was written.
  void stop_before_words(int rank) {
    if (stopped_early_ || !reactions_.stop || comes_too_late(rank)) return;
    stopped_early_ = true;
    reactions_.stop();
  }

  // Whether the work was done here and on `rank`.
  bool comes_too_late(int rank) const { return arrived_.count(self_) && arrived_.count(rank); }

  void forget_late_interruptions() {
    std::erase_if(faults_, [&](const auto& one) {
      return one.second.kind == RankEnd::Kind::Interrupted && comes_too_late(one.first);
    });
    if (faults_.empty()) first_fault_.reset();
  }

  // The lowest that is not lost.
  int teller() const {
    int rank = 0;
    while (rank < self_ && lost_.count(rank)) ++rank;
    return rank;
  }

  void pass_on_own() {
    if (!own_ || ended_ != 0) return;
    const int to = teller();
    if (to == passed_to_) return;
    passed_to_ = to;
    if (to == self_) note(self_, *own_);
    for (const RankSocket& socket : sockets_)
      if (socket.rank() == to) socket.send(kFailed, packed(*own_));
  }

  // Whether neither rank is left to which all others are connected: nobody can tell this one
  // anything more.
  bool is_cut_off() const { return self_ > 1 && lost_.count(0) && lost_.count(1); }

  void settle() {
    if (is_cut_off() && ended_ == 0 && teller() != self_) return end(kLostCode);
    if (ended_ == 0 && teller() == self_) forget_late_interruptions();
    if (faults_.empty() || ended_ != 0 || teller() != self_) return;
    const auto lost = std::find_if(faults_.begin(), faults_.end(), [](const auto& one) {
      return one.second.kind == RankEnd::Kind::Lost;
    });
    const bool all = int(faults_.size()) == size_;
    if (lost == faults_.end() && !all && Clock::now() < *first_fault_ + kForOthers) return;
    if (!reported_ && is_interrupted_only() && Clock::now() < *first_fault_ + kForTheWork) return;
    RankEnd told = lost != faults_.end() ? lost->second : most_telling();
    const int of = lost != faults_.end() ? lost->first : rank_of_most_telling();
    // Nothing more gets its name while it is said what was written.
    stop_work();
    told.sentence = sentence_of(told, of, all);
    if (reactions_.tell) reactions_.tell(told);
    told_ = true;
    told_at_ = Clock::now();
    for (const RankSocket& socket : sockets_) socket.send(kEnd, packed(told));
    end(told.code);
  }

  bool is_interrupted_only() const {
    return std::all_of(faults_.begin(), faults_.end(), [](const auto& one) {
      return one.second.kind == RankEnd::Kind::Interrupted;
    });
  }

  // A fault rather than an interruption; else whoever was interrupted first, for it stops others.
  int rank_of_most_telling() const {
    for (const auto& [rank, end] : faults_)
      if (end.kind == RankEnd::Kind::Fault) return rank;
    return faults_.count(first_rank_) ? first_rank_ : faults_.begin()->first;
  }
  RankEnd most_telling() const { return faults_.at(rank_of_most_telling()); }

  std::string sentence_of(const RankEnd& end, int rank, bool all) const {
    const std::string who = rank_words(rank, size_, hosts_[std::size_t(rank)]);
    if (end.kind == RankEnd::Kind::Lost)
      return who +
             " ended without a word: it was killed, or its machine failed; look there for memory "
             "that ran out, and start again";
    if (end.kind == RankEnd::Kind::Interrupted && end.sentence.empty())
      return " (" + who + "); " +
             (reactions_.what_stays ? reactions_.what_stays() : "nothing was written");
    const bool same = all && std::all_of(faults_.begin(), faults_.end(), [&](const auto& one) {
                        return one.second.sentence == end.sentence;
                      });
    return same ? end.sentence : fmt::format("{} ({})", end.sentence, who);
  }

  void stop_work() {
    if (stopped_ || !reactions_.stop) return;
    stopped_ = true;
    reactions_.stop();
  }

  void end(int code) {
    ended_ = code;
    ended_at_ = Clock::now();
    stop_work();
    farewell_ = !told_;
    changed_.notify_all();
  }

  void end_late_process() {
    if (ended_ == 0) return;
    if (told_ && !farewell_) {
      farewell_ = true;
      for (std::size_t i = 0; i < sockets_.size(); ++i) farewell_ &= done_[i] || !open_[i];
      farewell_ |= Clock::now() > told_at_ + std::chrono::seconds(1);
      if (farewell_) changed_.notify_all();
    }
    if (!leaving_ && Clock::now() > ended_at_ + patience_) ::_exit(ended_);
  }

  const int self_, size_;
  const Reactions reactions_;
  const Milliseconds patience_;
  const std::vector<std::string> hosts_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RankSocket> sockets_;
  std::vector<bool> open_, done_;
  std::map<int, RankEnd> faults_;  // by rank
  std::map<int, bool> lost_;
  std::set<int> arrived_;  // known on rank 0: of all; else of this rank
  std::optional<Clock::time_point> first_fault_;
  std::optional<RankEnd> own_;
  int passed_to_ = -1, first_rank_ = -1;
  bool left_ = false, asked_to_stop_ = false, stopped_early_ = false, stopped_ = false;
  bool reported_ = false;  // the work has ended here, with a fault
  bool told_ = false;      // by this rank
  bool farewell_ = false;  // nobody waits for this rank's words any more
  Clock::time_point told_at_{}, ended_at_{};
  std::atomic<int> ended_{0};
  std::atomic<bool> leaving_{false};
  const int wake_;
  std::thread thread_;
  void (*const former_abort_)(int);
};

}  // namespace

std::unique_ptr<RankWatch> watch_ranks(Ranks& ranks, RankWatch::Reactions reactions,
                                       double patience_s) {
  return std::make_unique<Watch>(ranks, std::move(reactions), patience_s);
}

std::string rank_words(int rank, int size, const std::string& host) {
  return fmt::format("rank {} of {} on {}", rank, size, host);
}

std::string host_name() {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0 || !*name) return "an unknown machine";
  return name;
}

std::uint64_t ranks_of_this_machine(Ranks& ranks) {
  const std::string own = host_name();
  const std::vector<std::string> all = ranks.all_texts(own);
  return std::uint64_t(std::count(all.begin(), all.end(), own));
}

std::uint64_t sum_on_this_machine(Ranks& ranks, std::uint64_t own) {
  const std::string here = host_name();
  const std::vector<std::string> hosts = ranks.all_texts(here);
  const std::vector<std::uint64_t> all = ranks.all_gather<std::uint64_t>(std::span(&own, 1));
  std::uint64_t sum = 0;
  for (std::size_t r = 0; r < all.size(); ++r)
    if (hosts[r] == here) sum = sum + all[r] < sum ? ~std::uint64_t(0) : sum + all[r];
  return sum;
}

double share_of_this_machine(Ranks& ranks) {
  return ranks.size() == 1 ? 1 : double(ranks_of_this_machine(ranks)) / double(ranks.size());
}

void require_same_program(Ranks& ranks, const std::string& own) {
  const std::vector<std::string> programs = ranks.all_texts(own),
                                 hosts = ranks.all_texts(host_name());
  for (int r = 1; r < ranks.size(); ++r)
    if (programs[std::size_t(r)] != programs[0])
      throw Error(fmt::format("{} runs {}, and rank 0 runs {}",
                              rank_words(r, ranks.size(), hosts[std::size_t(r)]),
                              programs[std::size_t(r)], programs[0]),
                  {}, "start the same program on all of them");
}

}  // namespace haloscope::compute
