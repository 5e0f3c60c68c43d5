#pragma once

#include "compute/exec/cpu.h"
#include "compute/exec/cuda.h"
#include "compute/exec/stream_handles.cuh"
#include "compute/splotch/auto_cuda.cuh"
#include "compute/splotch/device_frames.cuh"
#include "compute/splotch/drawn_at_once.h"
#include "compute/splotch/paper.inl"
#include "compute/splotch/particle_bytes.cuh"
#include "compute/splotch/particle_store.inl"
#include "compute/splotch/samples.inl"

#include <map>
#include <memory>
#include <vector>

namespace haloscope::compute::splotch {

// Host columns pinned for asynchronous copies while this lives; quietly not, where the system
// refuses (copies are then slower, not wrong).
class PinnedColumns {
 public:
  explicit PinnedColumns(const Columns& c) {
    const void* columns[] = {c.position.x, c.position.y, c.position.z, c.radius,
                             c.color[0],   c.color[1],   c.color[2],   c.weight};
    for (const void* p : columns)
      if (p && cudaHostRegister(const_cast<void*>(p), c.count * 4, cudaHostRegisterDefault) ==
                   cudaSuccess)
        registered_.push_back(const_cast<void*>(p));
    (void)cudaGetLastError();
  }
  PinnedColumns(PinnedColumns&& other) noexcept : registered_(std::move(other.registered_)) {
    other.registered_.clear();
  }
  ~PinnedColumns() {
    for (void* p : registered_) cudaHostUnregister(p);
  }

 private:
  std::vector<void*> registered_;
};

// Gives memory of the GPU's pool that nobody uses back to the driver, for other programs.
inline void give_back_unused(Cuda& exec) {
  exec.synchronize();
  cudaMemPool_t pool{};
  check_cuda(cudaDeviceGetDefaultMemPool(&pool, exec.device().number), "finding the memory pool");
  check_cuda(cudaMemPoolTrimTo(pool, 0), "giving memory back");
}

// Particles of all types for the CUDA executor: resident, or, where they exceed the memory budget,
// in host memory in Morton order and copied chunk by chunk, the next one while one is drawn.
class CudaStore {
 public:
  CudaStore(const std::shared_ptr<Cuda>& shared, const Domain& domain,
            const std::vector<TypeInput>& inputs, std::uint64_t budget, std::uint64_t drawn_at_once,
            Progress& progress);
  // Streams, events and pinned columns end on the GPU that they were made on.
  ~CudaStore() { (void)cudaSetDevice(exec_.device().number); }
  CudaStore(const CudaStore&) = delete;
  CudaStore& operator=(const CudaStore&) = delete;

  void recolor(const std::vector<const float*>& values);
  bool recolor_by(const std::vector<LabeledType>& types);
  void label(const std::vector<const std::uint8_t*>& labels);

  std::size_t type_count() const { return resident_.size() + streamed_.size(); }
  bool whole() const { return streamed_.empty(); }
  // Particles whose intermediate arrays (about 130 B each) fit beside the data.
  std::uint64_t paper_chunk() const;

  // Of streamed particles only samples on the GPU are drawn: a coarser one than was asked for where
  // that is all there is, or all particles where there is none.
  int usable_sample(int n, Timings&) const;
  std::vector<int> motion_samples() const {
    return samples_for_motion(particle_count(), sample_sizes_);
  }
  // All particles, or a sample of 1 in n.
  template <class F>
  void for_each_chunk(int n, const F& f);

  template <Mode M>
  void draw_auto(Cuda&, const std::vector<Layer>& layers, const std::vector<std::size_t>& types,
                 const Projector<Real<M>>& projector, const Options& options, float* image,
                 std::vector<float>& host_image, Levels<Cuda>* levels, Counts& counts,
                 Timings& timings, LaterTimes& later);

  std::shared_ptr<const DeviceImage> keep_on_device(const float* image,
                                                    const std::vector<float>& cpu_share, int width,
                                                    int height) {
    return frames_.keep(exec_, image, cpu_share, width, height);
  }

  std::shared_ptr<const spatial::PointSet> points(std::size_t type) const {
    return whole() ? resident_[type].points() : streamed_[type].points();
  }
  std::vector<std::uint64_t> estimated_radii() const;
  std::vector<float> radius_sample(std::size_t type, std::size_t at_most) const;
  std::vector<float> radii(std::size_t type) const;

 private:
  // Device copy of a piece of one type's columns.
  struct Staging {
    Buffer<std::uint32_t, Cuda> words;  // all columns, one after the other
    Buffer<std::uint8_t, Cuda> labels;  // where there are any
    EventHandle copied, drawn;
  };
  Columns copy_chunk(Staging& staging, const Columns& host, std::uint64_t first,
                     std::uint64_t count);
  std::uint64_t keep_samples(std::uint64_t bytes, std::uint64_t room);
  void keep_sample(int n);
  void forget_samples();
  void keep_samples_again();
  Samples<Cuda>::Kept made_on_host(int n);
  std::vector<Columns> all_resident() const;
  std::uint64_t particle_count() const {
    std::uint64_t particles = 0;
    for (std::size_t t = 0; t < type_count(); ++t) particles += points(t)->count();
    return particles;
  }
  template <class F>
  void draw_whole(const std::vector<Columns>& columns, const std::vector<Buffer<Run, Cuda>>& runs,
                  const F& f);
  template <class F>
  void draw_streamed(const F& f);

  Cuda& exec_;
  Cpu cpu_;
  AutoCuda auto_;
  DeviceFrames frames_;
  std::vector<StoredType<Cuda>> resident_;
  std::vector<StoredType<Cpu>> streamed_;
  std::vector<PinnedColumns> pinned_;
  std::vector<Buffer<Run, Cuda>> runs_;  // by type, resident ones only
  Samples<Cuda> samples_;
  std::map<int, std::vector<Buffer<Run, Cuda>>> sample_runs_;  // of 1 in n, by type
  std::vector<int> sample_sizes_;       // n of those there is room for, from fine to coarse
  std::vector<const Run*> ready_runs_;  // of the layers that are handed out; empty: not made
  Buffer<Run, Cuda> chunk_runs_;
  Staging staging_[2];
  StreamHandle copy_stream_;
  std::uint64_t chunk_ = 0;
  std::uint64_t budget_ = 0;
  std::uint64_t drawn_at_once_;  // of a type
};

inline CudaStore::CudaStore(const std::shared_ptr<Cuda>& shared, const Domain& domain,
                            const std::vector<TypeInput>& inputs, std::uint64_t budget,
                            std::uint64_t drawn_at_once, Progress& progress)
    : exec_(*shared),
      auto_(exec_),
      frames_(exec_.device()),
      drawn_at_once_(drawn_at_once ? whole_runs(drawn_at_once) : 1ull << 32) {
  std::uint64_t bytes = 0, widest = 0, largest = 0, placing = 0, whole_words = 0;
  for (const auto& in : inputs) {
    const BytesOfType type(in);
    bytes += type.placed;
    whole_words += in.count * bytes_per_particle(in);
    placing = std::max(placing, type.while_placed);
    widest = std::max(widest, most_bytes_per_particle(in));
    largest = std::max(largest, in.count);
  }
  const std::uint64_t free = exec_.free_memory();
  // A quarter is left for images and lists of splats.
  budget_ = budget ? budget : free - free / 4;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    progress.report("upload", double(k) / double(inputs.size()));
    if (bytes + placing <= budget_) {
      resident_.emplace_back(shared, exec_.device(), inputs[k], domain);
      runs_.push_back(runs_of(exec_, resident_.back().columns()));
    } else {
      TypeInput words = inputs[k];
      words.packed = false;
      streamed_.emplace_back(std::make_shared<Cpu>(), Device::cpu(), words, domain);
      pinned_.emplace_back(streamed_.back().columns());
    }
  }
  exec_.synchronize();
  // Beside resident particles there is what sorting took; of what streamed ones are given, a third.
  const std::uint64_t kept =
      keep_samples(whole_words, whole() ? budget_ - std::min(budget_, bytes) : budget_ / 3);
  give_back_unused(exec_);
  if (whole()) {
    const std::uint64_t free_now = exec_.free_memory();
    const std::uint64_t room =
        budget ? std::min(free_now, budget - std::min(budget, bytes + kept)) : free_now;
    // Weakness: colors and labels that come later are not counted.
    if (room < kListed * largest) {
      drawn_at_once_ = std::min(drawn_at_once_, drawn_at_once_in(room, largest));
      auto_.save_memory();
    }
    return;
  }
  auto_.save_memory();

  // Three quarters of the budget hold two staging buffers and a list with every splat of a chunk.
  constexpr std::uint64_t kSplats = 36;
  chunk_ = std::max<std::uint64_t>(budget_ / 4 * 3 / (2 * widest + kSplats) / kRun, 1) * kRun;
  chunk_ = std::min<std::uint64_t>(chunk_, (largest + kRun - 1) / kRun * kRun);
  check_cuda(cudaStreamCreateWithFlags(&copy_stream_.stream, cudaStreamNonBlocking),
             "making a stream");
  for (auto& s : staging_) {
    s.words = Buffer<std::uint32_t, Cuda>(exec_, chunk_ * (widest / 4), "particle chunks");
    check_cuda(cudaEventCreateWithFlags(&s.copied.event, cudaEventDisableTiming),
               "making an event");
    check_cuda(cudaEventCreateWithFlags(&s.drawn.event, cudaEventDisableTiming), "making an event");
  }
  chunk_runs_ = Buffer<Run, Cuda>(exec_, chunk_ / kRun, "bounding boxes of runs");
  exec_.synchronize();
}

// Keeps samples of particles of so many bytes, as far as they fit the room; returns what they take.
inline std::uint64_t CudaStore::keep_samples(std::uint64_t bytes, std::uint64_t room) {
  const std::uint64_t room_before = room;
  for (const int n : kept_samples(particle_count())) {
    if (bytes / n > room) continue;
    keep_sample(n);
    sample_sizes_.push_back(n);
    room -= bytes / n;
    if (!whole()) budget_ -= bytes / n;
  }
  exec_.synchronize();
  return room_before - room;
}

inline void CudaStore::keep_sample(int n) {
  auto kept =
      whole() || samples_.find(n) ? samples_.make(exec_, all_resident(), n) : made_on_host(n);
  std::vector<Buffer<Run, Cuda>> runs;
  for (const Columns& columns : kept.columns()) runs.push_back(runs_of(exec_, columns));
  // Not before all of it is there: a sample that is found is drawn by its runs.
  sample_runs_[n] = std::move(runs);
  samples_.keep(std::move(kept));
}

// Of streamed particles, which the GPU does not hold.
inline Samples<Cuda>::Kept CudaStore::made_on_host(int n) {
  std::vector<Columns> all;
  for (const auto& type : streamed_) all.push_back(type.columns());
  const auto on_host = Samples<Cpu>().make(cpu_, all, n);
  Samples<Cuda>::Kept kept{n, {}};
  kept.types.resize(all.size());
  for (std::size_t t = 0; t < all.size(); ++t)
    kept.types[t].upload(exec_, on_host.types[t].columns());
  exec_.synchronize();
  return kept;
}

inline void CudaStore::recolor(const std::vector<const float*>& values) {
  // Samples hold copies of the colors: none with former ones is left where values do not fit.
  forget_samples();
  const auto value = [&](std::size_t k) { return values.empty() ? nullptr : values[k]; };
  for (std::size_t k = 0; k < resident_.size(); ++k) resident_[k].recolor(exec_, value(k));
  for (std::size_t k = 0; k < streamed_.size(); ++k) streamed_[k].recolor(cpu_, value(k));
  keep_samples_again();
}

inline void CudaStore::label(const std::vector<const std::uint8_t*>& labels) {
  forget_samples();
  for (Staging& staging : staging_) staging.labels = {};
  if (whole())
    label_types(exec_, resident_, labels);
  else
    label_types(cpu_, streamed_, labels);
  keep_samples_again();
}

inline void CudaStore::forget_samples() {
  samples_.forget();
  sample_runs_.clear();
}

inline void CudaStore::keep_samples_again() {
  try {
    for (const int n : sample_sizes_) keep_sample(n);
  } catch (const Error&) {
    // Samples only save time, and those that were made are whole; the next recoloring tries again.
    // What is wrong with the GPU itself is thrown below.
  }
  exec_.synchronize();
}

inline bool CudaStore::recolor_by(const std::vector<LabeledType>& types) {
  if (!whole() || types.size() != resident_.size()) return false;
  for (std::size_t k = 0; k < types.size(); ++k) {
    const auto* const labels = types[k].labels;
    if (!labels) continue;
    const std::uint64_t end = std::uint64_t(types[k].first) + types[k].count;
    if (labels->device() != exec_.device() || end > labels->count() ||
        types[k].count != resident_[k].points()->count())
      return false;
  }
  // Where not all could be kept, all are tried again.
  bool kept = sample_runs_.size() == sample_sizes_.size();
  try {
    for (std::size_t k = 0; k < types.size(); ++k)
      resident_[k].recolor_by(exec_,
                              types[k].labels ? types[k].labels->data() + types[k].first : nullptr,
                              types[k].colors);
    kept = kept && samples_.take_colors(exec_, all_resident());
  } catch (...) {
    forget_samples();
    throw;
  }
  if (kept) {
    exec_.synchronize();
    return true;
  }
  forget_samples();
  keep_samples_again();
  return true;
}

inline std::vector<Columns> CudaStore::all_resident() const {
  std::vector<Columns> out;
  for (const auto& type : resident_) out.push_back(type.columns());
  return out;
}

inline int CudaStore::usable_sample(int n, Timings&) const {
  if (n == 1 || whole() || samples_.find(n)) return n;
  return samples_.empty() ? 1 : samples_.finest().n;
}

inline std::uint64_t CudaStore::paper_chunk() const {
  constexpr std::uint64_t kBytes = 130;
  const std::uint64_t available = std::min(budget_, exec_.free_memory()) / 2;
  const std::uint64_t limit = whole() ? available / kBytes : std::min(available / kBytes, chunk_);
  return std::clamp<std::uint64_t>(limit, 1u << 16, 1u << 28) / kRun * kRun;
}

inline Columns CudaStore::copy_chunk(Staging& staging, const Columns& host, std::uint64_t first,
                                     std::uint64_t count) {
  Columns device = host;
  device.count = count;
  std::uint32_t* at = staging.words.data();
  auto copy = [&](auto*& p) {
    if (!p) return;
    check_cuda(
        cudaMemcpyAsync(at, p + first, count * 4, cudaMemcpyHostToDevice, copy_stream_.stream),
        "copying particles to the GPU");
    p = reinterpret_cast<std::remove_reference_t<decltype(p)>>(at);
    at += count;
  };
  copy(device.position.x);
  copy(device.position.y);
  copy(device.position.z);
  copy(device.radius);
  for (auto& c : device.color) copy(c);
  copy(device.weight);
  if (device.label) {
    if (staging.labels.size() < chunk_) {
      staging.labels.reserve(exec_, chunk_, "labels of sets");
      exec_.synchronize();  // memory comes in the order of its stream, and copies have their own
    }
    check_cuda(cudaMemcpyAsync(staging.labels.data(), device.label + first, count,
                               cudaMemcpyHostToDevice, copy_stream_.stream),
               "copying labels to the GPU");
    device.label = staging.labels.data();
  }
  return device;
}

template <class F>
void CudaStore::for_each_chunk(int n, const F& f) {
  constexpr std::uint64_t kCut = 1u << 24;  // particles that are cut from a sample at once
  const auto* const kept = samples_.find(n);
  if (kept && kept->n == n) {
    draw_whole(kept->columns(), sample_runs_.at(n), f);
  } else if (n > 1) {
    ready_runs_.clear();
    samples_.cut(exec_, all_resident(), n, kCut,
                 [&](const Columns& columns, std::size_t type, double done) {
                   f(std::vector<Layer>{{columns, {}}}, std::vector<std::size_t>{type}, done);
                 });
  } else if (whole()) {
    draw_whole(all_resident(), runs_, f);
  } else {
    draw_streamed(f);
  }
}

template <class F>
void CudaStore::draw_whole(const std::vector<Columns>& columns,
                           const std::vector<Buffer<Run, Cuda>>& runs, const F& f) {
  std::vector<Layer> layers;
  std::vector<std::size_t> types;
  ready_runs_.clear();
  for (std::size_t t = 0; t < columns.size(); ++t) {
    layers.push_back({columns[t], {}});
    types.push_back(t);
    ready_runs_.push_back(runs[t].data());
  }
  if (!layers.empty()) f(std::move(layers), types, 0.);
}

template <class F>
void CudaStore::draw_streamed(const F& f) {
  exec_.make_current();
  ready_runs_.clear();
  struct Piece {
    std::size_t type;
    std::uint64_t first, count;
  };
  std::vector<Piece> pieces;
  for (std::size_t k = 0; k < streamed_.size(); ++k) {
    const std::uint64_t n = streamed_[k].columns().count;
    for (std::uint64_t first = 0; first < n; first += chunk_)
      pieces.push_back({k, first, std::min(chunk_, n - first)});
  }
  Columns ready[2];
  auto start_copy = [&](std::size_t p) {
    Staging& s = staging_[p % 2];
    // The copy must not overtake the drawing of what the buffer held.
    if (p >= 2)
      check_cuda(cudaStreamWaitEvent(copy_stream_.stream, s.drawn.event), "ordering copies");
    ready[p % 2] =
        copy_chunk(s, streamed_[pieces[p].type].columns(), pieces[p].first, pieces[p].count);
    check_cuda(cudaEventRecord(s.copied.event, copy_stream_.stream), "ordering copies");
  };
  if (!pieces.empty()) start_copy(0);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    if (p + 1 < pieces.size()) start_copy(p + 1);
    Staging& s = staging_[p % 2];
    check_cuda(cudaStreamWaitEvent(exec_.stream(), s.copied.event), "ordering copies");
    f(std::vector<Layer>{{ready[p % 2], {}}}, std::vector<std::size_t>{pieces[p].type},
      double(p) / double(pieces.size()));
    check_cuda(cudaEventRecord(s.drawn.event, exec_.stream()), "ordering copies");
  }
}

template <Mode M>
void CudaStore::draw_auto(Cuda&, const std::vector<Layer>& layers, const std::vector<std::size_t>&,
                          const Projector<Real<M>>& projector, const Options& options, float* image,
                          std::vector<float>& host_image, Levels<Cuda>* levels, Counts& counts,
                          Timings& timings, LaterTimes& later) {
  if (!can_draw_runs(exec_)) {
    host_image.resize(4 * std::size_t(projector.width) * std::size_t(projector.height), 0.f);
    for (const auto& layer : layers)
      paper_pieces<M>(exec_, layer, paper_chunk(), projector, image, host_image.data(), counts,
                      timings);
    return;
  }
  for (std::size_t k = 0; k < layers.size(); ++k) {
    if (ready_runs_.empty()) {
      chunk_runs_.reserve(exec_, (layers[k].columns.count + kRun - 1) / kRun,
                          "bounding boxes of runs");
      make_runs(exec_, layers[k].columns, chunk_runs_.data());
    }
    const Run* const runs = ready_runs_.empty() ? chunk_runs_.data() : ready_runs_[k];
    const std::uint64_t count = layers[k].columns.count;
    for (std::uint64_t first = 0; first < count; first += drawn_at_once_)
      auto_.draw<M>(slice(layers[k], first, std::min(drawn_at_once_, count - first)),
                    runs + first / kRun, projector, options, image, host_image, levels, counts,
                    timings, later);
  }
}

inline std::vector<std::uint64_t> CudaStore::estimated_radii() const {
  std::vector<std::uint64_t> out;
  for (const auto& t : resident_) out.push_back(t.estimated_radii());
  for (const auto& t : streamed_) out.push_back(t.estimated_radii());
  return out;
}

inline std::vector<float> CudaStore::radius_sample(std::size_t type, std::size_t at_most) const {
  if (whole()) return resident_[type].radius_sample(exec_, at_most);
  Cpu cpu;
  return streamed_[type].radius_sample(cpu, at_most);
}

inline std::vector<float> CudaStore::radii(std::size_t type) const {
  if (whole()) return resident_[type].radii_in_file_order(exec_);
  Cpu cpu;
  return streamed_[type].radii_in_file_order(cpu);
}

}  // namespace haloscope::compute::splotch
