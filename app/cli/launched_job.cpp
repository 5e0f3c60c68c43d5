#include "app/cli/launched_job.h"

#include "app/cli/rank_cores.h"
#include "compute/exec/rank_fault.h"
#include "core/error.h"
#include "core/outputs.h"
#include "core/version.h"
#include "core/visible_text.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <thread>
#include <unistd.h>

namespace haloscope::app::cli {

namespace {

using compute::RankEnd;

// Each gathers what is found or drawn on one rank, which writes it.
struct CommandOfRanks {
  const char* name;
  const char* when_interrupted = nullptr;  // null: what outputs tell
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

std::string in_quotes(const std::string& words) {
  return words.empty() ? "no words" : "'" + words + "'";
}

}  // namespace

LaunchedJob::LaunchedJob(Progress& progress)
    : progress_(progress), launched_(compute::find_launcher()) {}

LaunchedJob::~LaunchedJob() = default;

bool LaunchedJob::speaks() const {
  return ranks_ ? ranks_->first() : launched_.rank == 0 || tells_;
}

// Before MPI starts no rank knows of another's fault. Where all ranks have the same one, rank 0
// tells it and ends, and the launcher stops the others meanwhile: a rank that nobody stops is the
// only one that knows. Ranks of a machine wait one longer than the other, so that one of them tells
// and the launcher has time to stop the next.
bool LaunchedJob::tells_of_itself() const {
  using std::chrono::milliseconds;
  // srun does not stop the others: each of them would tell. What mpirun starts in a job of Slurm
  // has that variable too.
  const bool by_srun = launched_.launcher != "Open MPI" && std::getenv("SLURM_STEP_NUM_TASKS");
  if (launched_.rank == 0 || by_srun) return false;
  const char* on_machine = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  if (!on_machine) on_machine = std::getenv("MPI_LOCALRANKID");  // Hydra's
  const long turn = on_machine ? std::strtol(on_machine, nullptr, 10) : launched_.rank;
  const auto end = std::chrono::steady_clock::now() + milliseconds(1000 + 500 * turn);
  while (std::chrono::steady_clock::now() < end) {
    if (progress_.cancelled()) return false;
    std::this_thread::sleep_for(milliseconds(20));
  }
  return true;
}

std::unique_ptr<compute::MpiRanks> LaunchedJob::start() {
  try {
    return compute::start_mpi(launched_);
  } catch (const Error& error) {
    tells_ = tells_of_itself();
    if (!tells_) throw;
    throw Error(std::string(error.what()) + " (" +
                compute::rank_words(launched_.rank, launched_.size, compute::host_name()) + ")");
  }
}

// What is being written does not get its name from now on.
void LaunchedJob::stop() {
  stopped_ = true;
  progress_.cancel();
  outputs::stop();
}

void LaunchedJob::join(const std::vector<std::string>& words) {
  if (launched_.size <= 1) return;
  auto joined = start();
  compute::require_same_program(*joined, version() + " (revision " + revision() + ")");
  watch_ = compute::watch_ranks(*joined,
                                {tell, [this] { stop(); }, [this] { return progress_.cancelled(); },
                                 [this] {
                                   const char* const stays = what_stays_;
                                   return stays ? std::string(stays) : outputs::written_in_words();
                                 }});
  ranks_ = std::move(joined);
  ranks_->set_check([this] {
    if (watch_->ended() != 0) throw compute::RankFault("another rank has ended the job");
    if (progress_.cancelled()) throw Cancelled();
  });
  // Before anything else: a rank of --version has no more to say to one that searches.
  require_same(words);
}

int LaunchedJob::fail(RankEnd::Kind kind, const std::string& sentence, int code) {
  if (const int ended = watch_->ended()) return ended;
  // What was stopped may fail for that: its hidden file is gone.
  if (stopped_ && kind == RankEnd::Kind::Fault)
    return watch_->report({RankEnd::Kind::Interrupted, {}, 130});
  return watch_->report({kind, sentence, code});
}

void LaunchedJob::finish() {
  // Who waits here is not interrupted any more, unless another rank is.
  ranks_->set_check([this] {
    if (watch_->ended() != 0) throw compute::RankFault("another rank has ended the job");
  });
  watch_->arrive();
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
      throw Error("rank " + std::to_string(r) + " was given " + in_quotes(all[r]) +
                      ", and rank 0 " + in_quotes(all[0]),
                  {}, "give all ranks the same command line");
}

void LaunchedJob::begin(const std::string& command) {
  std::string names;
  for (const CommandOfRanks& one : kCommandsOfRanks) {
    if (command == one.name) {
      what_stays_ = one.when_interrupted;
      return warn_of_few_cores(*ranks_);
    }
    names += (names.empty() ? "" : ", ") + std::string(one.name);
  }
  throw Error("haloscope " + command + " cannot run on several ranks", {},
              "start it as one process; commands that run on several are: " + names);
}

}  // namespace haloscope::app::cli
