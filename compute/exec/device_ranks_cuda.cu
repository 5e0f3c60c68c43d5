#include "compute/exec/cuda.h"
#include "compute/exec/device_ranks.h"
#include "compute/exec/nccl_library.h"
#include "compute/exec/own_pieces.h"
#include "core/array.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

namespace haloscope::compute {

namespace {

class ThroughHost final : public DeviceRanks {
 public:
  ThroughHost(Ranks& ranks, Device device)
      : DeviceRanks(ranks.rank()), ranks_(ranks), exec_(device) {}
  std::string wire() const override { return "host memory"; }

 private:
  void carry(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    std::vector<Array<char>> sent, received;
    std::vector<Outgoing> host_out;
    std::vector<Incoming> host_in;
    for (const Outgoing& piece : out) {
      Array<char>& copy = sent.emplace_back(std::size_t(piece.bytes));
      if (piece.bytes > 0) exec_.download(copy.data(), piece.data, piece.bytes);
      host_out.push_back({piece.to, copy.data(), piece.bytes});
    }
    for (const Incoming& piece : in) {
      Array<char>& copy = received.emplace_back(std::size_t(piece.bytes));
      host_in.push_back({piece.from, copy.data(), piece.bytes});
    }
    ranks_.move(host_out, host_in);
    for (std::size_t i = 0; i < in.size(); ++i)
      if (in[i].bytes > 0) exec_.upload(in[i].data, received[i].data(), in[i].bytes);
    exec_.synchronize();
  }

  Ranks& ranks_;
  Cuda exec_;
};

// Each rank takes what the others have laid out for it.
class BetweenPeers final : public DeviceRanks {
 public:
  BetweenPeers(Ranks& ranks, Device device)
      : DeviceRanks(ranks.rank()), ranks_(ranks), exec_(device) {
    const int own = device.number;
    for (const int other : ranks.all_gather<int>(std::span<const int>(&own, 1)))
      if (other != own) open_to(other);
  }
  std::string wire() const override { return "copies between GPUs"; }

 private:
  struct Laid {
    const void* data;
    std::uint64_t bytes;
    std::int64_t device;
  };

  // Where the hardware has no way between two GPUs, the driver copies through host memory.
  void open_to(int other) {
    exec_.make_current();
    const int own = exec_.device().number;
    int can = 0;
    if (cudaDeviceCanAccessPeer(&can, other, own) != cudaSuccess || !can) {
      (void)cudaGetLastError();
      return;
    }
    // Memory that others make by cudaMalloc, and the pool's.
    (void)cudaDeviceEnablePeerAccess(other, 0);
    (void)cudaGetLastError();
    cudaMemPool_t pool{};
    if (cudaDeviceGetDefaultMemPool(&pool, own) == cudaSuccess) {
      cudaMemAccessDesc access{};
      access.location.type = cudaMemLocationTypeDevice;
      access.location.id = other;
      access.flags = cudaMemAccessFlagsProtReadWrite;
      (void)cudaMemPoolSetAccess(pool, &access, 1);
    }
    (void)cudaGetLastError();
  }

  void carry(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    std::vector<Laid> laid, theirs(in.size());
    for (const Outgoing& piece : out)
      laid.push_back({piece.data, piece.bytes, exec_.device().number});
    std::vector<Outgoing> tell;
    std::vector<Incoming> hear;
    for (std::size_t i = 0; i < out.size(); ++i)
      tell.push_back({out[i].to, &laid[i], sizeof(Laid)});
    for (std::size_t i = 0; i < in.size(); ++i)
      hear.push_back({in[i].from, &theirs[i], sizeof(Laid)});
    ranks_.move(tell, hear);
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (theirs[i].bytes != in[i].bytes)
        throw Error("rank " + std::to_string(in[i].from) + " sends " +
                        std::to_string(theirs[i].bytes) + " bytes where " +
                        std::to_string(in[i].bytes) + " are expected",
                    "ranks");
      if (in[i].bytes > 0)
        check_cuda(cudaMemcpyPeerAsync(in[i].data, exec_.device().number, theirs[i].data,
                                       int(theirs[i].device), in[i].bytes, exec_.stream()),
                   "copying between GPUs");
    }
    exec_.synchronize();
    // Before that the others may not write over what they laid out.
    ranks_.barrier();
  }

  Ranks& ranks_;
  Cuda exec_;
};

class ByNccl final : public DeviceRanks {
 public:
  ByNccl(Ranks& ranks, Device device)
      : DeviceRanks(ranks.rank()), ranks_(ranks), nccl_(nccl_library()), exec_(device) {
    NcclId id{};
    if (ranks.first()) require(nccl_.unique_id(&id), "naming its job");
    ranks.broadcast(&id, sizeof id);
    exec_.make_current();
    // Known weakness: a rank that fails between here and there leaves the others waiting for it.
    ranks.barrier();
    require(nccl_.init_rank(&communicator_, ranks.size(), id, ranks.rank()), "joining the ranks");
  }
  ~ByNccl() override {
    (void)cudaSetDevice(exec_.device().number);
    if (communicator_) (void)nccl_.destroy(communicator_);
  }
  ByNccl(const ByNccl&) = delete;
  ByNccl& operator=(const ByNccl&) = delete;
  std::string wire() const override { return nccl_.words(); }

 private:
  void carry(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    try {
      start(out, in);
      wait();
    } catch (...) {
      if (in_group_) (void)nccl_.group_end();
      if (communicator_) (void)nccl_.abort(communicator_);
      communicator_ = nullptr;
      throw;
    }
  }

  void start(std::span<const Outgoing> out, std::span<const Incoming> in) {
    if (!communicator_)
      throw Error("the connection between GPUs was lost before", "ranks", "start again");
    const int self = ranks_.rank();
    each_own_piece(self, out, in, [&](const Outgoing& piece, const Incoming& to) {
      check_cuda(cudaMemcpyAsync(to.data, piece.data, piece.bytes, cudaMemcpyDeviceToDevice,
                                 exec_.stream()),
                 "copying on the GPU");
    });
    require(nccl_.group_start(), "a group of calls");
    in_group_ = true;
    for (const Outgoing& piece : out)
      if (piece.to != self && piece.bytes > 0)
        require(nccl_.send(piece.data, piece.bytes, NcclLibrary::kUint8, piece.to, communicator_,
                           exec_.stream()),
                "sending");
    for (const Incoming& piece : in)
      if (piece.from != self && piece.bytes > 0)
        require(nccl_.receive(piece.data, piece.bytes, NcclLibrary::kUint8, piece.from,
                              communicator_, exec_.stream()),
                "receiving");
    in_group_ = false;
    require(nccl_.group_end(), "a group of calls");
  }

  // A rank that has ended never sends: who waits for it gives up when it is known.
  void wait() {
    for (int asked = 0;; ++asked) {
      const cudaError_t status = cudaStreamQuery(exec_.stream());
      if (status == cudaSuccess) return;
      if (status != cudaErrorNotReady) check_cuda(status, "waiting for NCCL");
      int fault = NcclLibrary::kSuccess;
      require(nccl_.asynchronous_error(communicator_, &fault), "waiting");
      if (fault != NcclLibrary::kInProgress) require(fault, "waiting");
      if (asked % 64 == 63) ranks_.check_others();
      if (asked > 1000) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

  void require(int result, const char* doing) const {
    if (result == NcclLibrary::kSuccess) return;
    throw Error(std::string("NCCL failed: ") + nccl_.error_words(result) + " (" + doing + ")",
                "ranks");
  }

  Ranks& ranks_;
  const NcclLibrary& nccl_;
  Cuda exec_;
  NcclCommunicator communicator_ = nullptr;
  bool in_group_ = false;
};

// Why NCCL cannot be used, the same on all ranks; empty: it can.
std::string why_no_nccl(Ranks& ranks, Device device) {
  // It refuses two ranks on one GPU; ids would tell them between processes, numbers do within one.
  std::string own = nccl_library().why_not;
  if (ranks.in_one_process()) {
    const std::vector<int> all = ranks.all_gather<int>(std::span<const int>(&device.number, 1));
    if (own.empty() && std::count(all.begin(), all.end(), device.number) > 1)
      own = "two ranks have one GPU";
  }
  for (const std::string& one : ranks.all_texts(own))
    if (!one.empty()) return one;
  return {};
}

}  // namespace

std::unique_ptr<DeviceRanks> make_cuda_ranks(Ranks& ranks, Device device, Wire wire) {
  if (wire == Wire::Auto || wire == Wire::Nccl) {
    const std::string why_not = why_no_nccl(ranks, device);
    if (why_not.empty() && (wire == Wire::Nccl || ranks.size() > 1))
      return std::make_unique<ByNccl>(ranks, device);
    if (wire == Wire::Nccl)
      throw Error("NCCL cannot be used: " + why_not, "ranks",
                  "install it where the system looks for libraries, or name its folder in "
                  "LD_LIBRARY_PATH");
  }
  if (wire == Wire::Peer && !ranks.in_one_process())
    throw Error("GPUs of several processes cannot copy from one another", "ranks",
                "use NCCL or host memory");
  if (wire != Wire::Host && ranks.in_one_process())
    return std::make_unique<BetweenPeers>(ranks, device);
  return std::make_unique<ThroughHost>(ranks, device);
}

}  // namespace haloscope::compute
