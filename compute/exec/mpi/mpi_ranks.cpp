#include "compute/exec/mpi/mpi_ranks.h"

#include "compute/exec/mpi/plugin_interface.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <thread>

namespace haloscope::compute {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "haloscope_mpi.so";

// Ranks may be more than cores: one that waits gives its core away after a moment.
class Patience {
 public:
  void wait() {
    if (++asked_ < kBusy)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(100));
  }

 private:
  static constexpr int kBusy = 200;
  int asked_ = 0;
};

class PluginRanks final : public MpiRanks {
 public:
  PluginRanks(const haloscope_mpi_functions& mpi, std::uint64_t largest_piece)
      : mpi_(mpi), largest_(largest_piece) {
    require(mpi_.start(&rank_, &size_));
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void finish() override { require(mpi_.finish()); }

  void move(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    std::vector<haloscope_mpi_request> requests;
    const auto each_piece = [&](std::uint64_t bytes, const auto& start) {
      std::uint64_t at = 0;
      do {
        const std::uint64_t some = std::min(bytes - at, largest_);
        require(start(at, int(some), &requests.emplace_back()));
        at += some;
      } while (at < bytes);
    };
    for (const Incoming& piece : in)
      each_piece(piece.bytes, [&](std::uint64_t at, int bytes, haloscope_mpi_request* request) {
        return mpi_.receive(static_cast<char*>(piece.data) + at, bytes, piece.from, request);
      });
    for (const Outgoing& piece : out)
      each_piece(piece.bytes, [&](std::uint64_t at, int bytes, haloscope_mpi_request* request) {
        return mpi_.send(static_cast<const char*>(piece.data) + at, bytes, piece.to, request);
      });
    int done = 0;
    for (Patience patience;; patience.wait()) {
      require(mpi_.test(int(requests.size()), requests.data(), &done));
      if (done) return;
      check();
    }
  }

 private:
  void require(int fault) const {
    if (fault == 0) return;
    char words[512] = "";
    mpi_.explain(fault, words, sizeof words);
    throw Error(std::string("MPI failed: ") + words, "ranks");
  }

  const haloscope_mpi_functions& mpi_;
  const std::uint64_t largest_;
  int rank_ = 0, size_ = 1;
};

// `other`: a remedy that comes first.
Error without_plugin(const Launched& launched, const std::string& reason,
                     const std::string& other = {}) {
  return Error(fmt::format("{} started {} ranks, and {}", launched.launcher, launched.size, reason),
               {},
               other +
                   "build haloscope with HALOSCOPE_MPI=ON where that MPI is installed, or name the "
                   "plugin by the environment's HALOSCOPE_MPI");
}

const haloscope_mpi_functions& load_plugin(const Launched& launched) {
  std::string path;
  for (const std::string& place : plugin_places()) {
    std::error_code none;
    if (!path.empty() || !fs::exists(place, none)) continue;
    path = place;
  }
  if (path.empty())
    throw without_plugin(launched, fmt::format("there is no plugin {} for its MPI", kFile));
  // Some MPIs load parts of themselves, which look for the rest among what all can see.
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library) {
    const char* const why = ::dlerror();
    throw without_plugin(launched, fmt::format("the plugin cannot be loaded ({})", why ? why : ""));
  }
  haloscope_mpi_plugin_function plugin = nullptr;
  void* const symbol = ::dlsym(library, "haloscope_mpi_plugin");
  std::memcpy(&plugin, &symbol, sizeof plugin);
  const haloscope_mpi_functions* const functions = plugin ? plugin() : nullptr;
  if (!functions || functions->version != HALOSCOPE_MPI_INTERFACE)
    throw without_plugin(launched, fmt::format("{} is of another build", path));
  return *functions;
}

}  // namespace

Launched find_launcher(const std::function<const char*(const char*)>& value_of) {
  // Slurm's: of a step. A batch script knows the job's number of tasks and is one process.
  constexpr struct {
    const char *launcher, *rank, *size;
  } known[] = {{"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
               {"MPI", "PMI_RANK", "PMI_SIZE"},
               {"Slurm", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
  for (const auto& one : known) {
    const char *const rank = value_of(one.rank), *const size = value_of(one.size);
    if (!rank || !size) continue;
    const int r = std::atoi(rank), n = std::atoi(size);
    if (r >= 0 && n > r) return {one.launcher, r, n};
  }
  return {};
}

Launched find_launcher() {
  return find_launcher([](const char* name) { return std::getenv(name); });
}

std::vector<std::string> plugin_places() {
  if (const char* const chosen = std::getenv("HALOSCOPE_MPI"); chosen && *chosen) return {chosen};
  std::error_code none;
  const fs::path folder = fs::read_symlink("/proc/self/exe", none).parent_path();
  return {(folder / kFile).string(), (folder.parent_path() / "lib" / "haloscope" / kFile).string()};
}

std::unique_ptr<MpiRanks> start_mpi(const Launched& launched, std::uint64_t largest_piece) {
  const haloscope_mpi_functions& mpi = load_plugin(launched);
  auto ranks = std::make_unique<PluginRanks>(mpi, largest_piece);
  if (ranks->size() != launched.size) {
    char words[256] = "";
    mpi.describe(words, sizeof words);
    const bool slurm = launched.launcher == "Slurm" && ranks->size() == 1;
    throw without_plugin(
        launched, fmt::format("the plugin's MPI ({}) sees {} of them", words, ranks->size()),
        slurm ? "start haloscope by srun --mpi=pmix (MPICH: --mpi=pmi2), or " : "");
  }
  return ranks;
}

}  // namespace haloscope::compute
