#pragma once

#include "compute/exec/buffer.h"
#include "compute/spatial/morton_order.inl"
#include "compute/spatial/pack_points.inl"
#include "compute/spatial/points.h"
#include "core/array.h"
#include "core/error.h"

#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

namespace haloscope::compute::spatial {

struct ScatterToRows {
  const std::uint32_t* from;
  const PointBlock* blocks;  // null: `from` are coordinates
  int axis;
  const std::uint32_t* rows;
  std::uint32_t* to;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    to[rows[i]] = blocks ? blocks[i / kPointBlock].coordinate(axis, from[i]) : from[i];
  }
};

template <class Exec>
class PointsOn : public PointSet {
 public:
  // Of so many points on a GPU, 36 B each for a while are more than the half second that it takes
  // to upload them twice.
  static constexpr std::uint64_t kFrugalFrom = Exec::is_cuda ? 1ull << 27 : ~0ull;

  // `exec` works on `device`; it is not used after this but to give the memory back. From
  // `frugal_from` points on, placing takes 20 B each at most in place of 36.
  PointsOn(std::shared_ptr<Exec> exec, Device device, const Domain& domain,
           const std::array<const std::uint32_t*, 3>& position, std::uint64_t count,
           std::uint64_t frugal_from = kFrugalFrom)
      : device_(device), exec_(std::move(exec)), domain_(domain), count_(count) {
    if (count > std::numeric_limits<std::uint32_t>::max())
      throw Error("more than 4294967295 particles of one type", "particles",
                  "choose fewer (they cannot be indexed yet)");
    if (count >= frugal_from)
      place_frugally(position);
    else
      place(position);
    exec_->synchronize();
  }

  Device device() const override { return device_; }
  const Domain& domain() const override { return domain_; }
  std::uint64_t count() const override { return count_; }
  Positions positions() const override {
    return {axes_[0].data(), axes_[1].data(), axes_[2].data(), blocks_.data()};
  }
  HeldPoints hold() const override {
    const auto held = hold_rows();
    return {{positions(), held->rows.data(), std::uint32_t(count_), true}, held};
  }

  // Puts the rows into host memory until somebody holds them. Before anybody does.
  void set_rows_aside() {
    if (count_ == 0) return;
    require_host_memory(count_ * sizeof(std::uint32_t), "the rows of particles");
    aside_ = Array<std::uint32_t>(std::size_t(count_));
    exec_->download(aside_.data(), rows_->rows.data(), aside_.size() * sizeof(std::uint32_t));
    rows_.reset();
  }

  // Values of the rows in the points' order. `exec` works on their device.
  template <class T>
  Buffer<T, Exec> in_order(Exec& exec, const T* host, const char* name) const {
    if constexpr (sizeof(T) == sizeof(std::uint32_t))
      if (!rows_ && count_ > 0) {
        auto values = gathered_by_host_order(exec, host, aside_.data(), std::size_t(count_), name);
        exec.synchronize();  // host memory is the caller's again
        return values;
      }
    const HeldPoints held = hold();
    auto values = gathered(exec, host, held.view.rows, std::size_t(count_), kFrugalFrom, name);
    exec.synchronize();  // the rows may be given back
    return values;
  }

  // Packs a radius of each point with its position, and returns those of loose blocks. Once, and
  // before anybody reads the points.
  Buffer<float, Exec> pack(const Buffer<float, Exec>& radius) {
    if (count_ == 0) return {};
    std::uint32_t* const axes[3] = {axes_[0].data(), axes_[1].data(), axes_[2].data()};
    PackedBlocks<Exec> packed = pack_points(*exec_, axes, radius.data(), std::size_t(count_));
    blocks_ = std::move(packed.blocks);
    return std::move(packed.loose);
  }

  void copy(const std::array<std::uint32_t*, 3>& to) const override {
    const auto n = std::size_t(count_);
    if (n == 0) return;
    const HeldPoints held = hold();
    // One of its own: other threads may read the points meanwhile.
    Exec exec(device_);
    if constexpr (Exec::is_cuda) {
      Buffer<std::uint32_t, Exec> by_row(exec, n, "positions");
      for (std::size_t a = 0; a < 3; ++a) {
        scatter(exec, a, held.view.rows, by_row.data());
        exec.download(to[a], by_row.data(), n * sizeof(std::uint32_t));
      }
    } else {
      for (std::size_t a = 0; a < 3; ++a) scatter(exec, a, held.view.rows, to[a]);
    }
  }

 private:
  using HostPosition = std::array<const std::uint32_t*, 3>;
  Buffer<std::uint32_t, Exec> uploaded(const std::uint32_t* axis) {
    Buffer<std::uint32_t, Exec> to(*exec_, std::size_t(count_), "positions");
    exec_->upload(to.data(), axis, to.size() * sizeof(std::uint32_t));
    return to;
  }
  // Rows on the device, with what their memory came from.
  struct Rows {
    std::shared_ptr<Exec> exec;
    Buffer<std::uint32_t, Exec> rows;
  };
  std::shared_ptr<const Rows> hold_rows() const {
    if (rows_) return rows_;
    const std::lock_guard lock(mutex_);
    if (auto there = held_.lock()) return there;
    // Of an executor of its own: other threads may use this one's.
    auto rows = std::make_shared<Rows>();
    rows->exec = std::make_shared<Exec>(device_);
    rows->rows = Buffer<std::uint32_t, Exec>(*rows->exec, aside_.size(), "rows");
    rows->exec->upload(rows->rows.data(), aside_.data(), aside_.size() * sizeof(std::uint32_t));
    rows->exec->synchronize();
    held_ = rows;
    return rows;
  }

  Buffer<std::uint32_t, Exec> sorted(const Buffer<std::uint32_t, Exec>& axis) {
    Buffer<std::uint32_t, Exec> to(*exec_, axis.size(), "positions");
    parallel_for(*exec_, "positions", axis.size(),
                 Gather<std::uint32_t>{axis.data(), rows_->rows.data(), to.data()});
    return to;
  }
  void place(const HostPosition& position) {
    Buffer<std::uint32_t, Exec> unsorted[3];
    for (std::size_t a = 0; a < 3; ++a) unsorted[a] = uploaded(position[a]);
    rows_ = std::make_shared<Rows>(Rows{
        exec_, morton_order(*exec_, {unsorted[0].data(), unsorted[1].data(), unsorted[2].data()},
                            std::size_t(count_))});
    for (std::size_t a = 0; a < 3; ++a) {
      axes_[a] = sorted(unsorted[a]);
      unsorted[a] = {};
    }
  }
  void place_frugally(const HostPosition& position) {
    rows_ = std::make_shared<Rows>(
        Rows{exec_, frugal_morton_order(*exec_, position, std::size_t(count_))});
    for (std::size_t a = 0; a < 3; ++a)
      axes_[a] =
          gathered(*exec_, position[a], rows_->rows.data(), rows_->rows.size(), 0, "positions");
  }

  void scatter(Exec& exec, std::size_t axis, const std::uint32_t* rows, std::uint32_t* to) const {
    parallel_for(exec, "positions", std::size_t(count_),
                 ScatterToRows{axes_[axis].data(), blocks_.data(), int(axis), rows, to});
  }

  Device device_;
  std::shared_ptr<Exec> exec_;
  Domain domain_;
  std::uint64_t count_;
  Buffer<std::uint32_t, Exec> axes_[3];
  Buffer<PointBlock, Exec> blocks_;   // none: not packed
  std::shared_ptr<const Rows> rows_;  // null: they are set aside
  Array<std::uint32_t> aside_;
  mutable std::mutex mutex_;
  mutable std::weak_ptr<const Rows> held_;  // of those set aside
};

}  // namespace haloscope::compute::spatial
