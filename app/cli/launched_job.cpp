#include "app/cli/launched_job.h"

#include "compute/exec/rank_fault.h"
#include "core/error.h"
#include "core/version.h"
#include "core/visible_text.h"

#include <algorithm>
#include <iterator>
#include <unistd.h>

namespace haloscope::app::cli {

namespace {

using compute::RankEnd;

// Each gathers what is found or drawn on one rank, which writes it.
struct CommandOfRanks {
  const char* name;
  const char* when_interrupted = "nothing was written";
};
constexpr CommandOfRanks kCommandsOfRanks[] = {
    {"clusters"},
    {"grid"},
    {"halos"},
    {"movie",
     "single frames that were written stay, and the same command draws the rest; a "
     "film in one file was not written"},
    {"render"},
    {"topology"}};

// At once and whole, whatever the thread that works may be printing.
void tell(const RankEnd& end) {
  std::string line = isatty(STDERR_FILENO) == 1 ? "\r\033[K" : "";
  line += end.kind == RankEnd::Kind::Interrupted ? "haloscope: interrupted" : "haloscope: error: ";
  std::string sentence = end.sentence;
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  line += visible_text(sentence) + "\n";
  const auto written = ::write(STDERR_FILENO, line.data(), line.size());
  (void)written;
}

}  // namespace

LaunchedJob::LaunchedJob(Progress& progress)
    : progress_(progress), launched_(compute::find_launcher()) {}

LaunchedJob::~LaunchedJob() = default;

bool LaunchedJob::speaks() const {
  return ranks_ ? ranks_->first() : launched_.rank == 0;
}

void LaunchedJob::join() {
  if (launched_.size <= 1) return;
  auto joined = compute::start_mpi(launched_);
  compute::require_same_program(*joined, version() + " (revision " + revision() + ")");
  watch_ = compute::watch_ranks(
      *joined, {tell, [this] { progress_.cancel(); }, [this] { return progress_.cancelled(); },
                [this] { return std::string(what_stays_); }});
  ranks_ = std::move(joined);
  ranks_->set_check([this] {
    if (watch_->ended() != 0) throw compute::RankFault("another rank has ended the job");
    if (progress_.cancelled()) throw Cancelled();
  });
}

int LaunchedJob::fail(RankEnd::Kind kind, const std::string& sentence, int code) {
  if (const int ended = watch_->ended()) return ended;
  return watch_->report({kind, sentence, code});
}

void LaunchedJob::finish() {
  ranks_->barrier();
  watch_->leave();
  ranks_->finish();
}

// With other options ranks would take what comes from the others for something else.
void LaunchedJob::require_same(const std::vector<std::string>& words) const {
  std::string own;
  for (const std::string& word : words) own += (own.empty() ? "" : " ") + word;
  const std::vector<std::string> all = ranks_->all_texts(own);
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all[0])
      throw Error(
          "rank " + std::to_string(r) + " was given '" + all[r] + "', and rank 0 '" + all[0] + "'",
          {}, "give all ranks the same command line");
}

void LaunchedJob::begin(const std::string& command, const std::vector<std::string>& words) {
  require_same(words);
  std::string names;
  for (const CommandOfRanks& one : kCommandsOfRanks) {
    if (command == one.name) {
      what_stays_ = one.when_interrupted;
      return;
    }
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  throw Error("haloscope " + command + " cannot run on several ranks", {},
              "start it as one process; commands that run on several are: " + names);
}

}  // namespace haloscope::app::cli
