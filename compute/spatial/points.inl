#pragma once

#include "compute/exec/buffer.h"
#include "compute/spatial/morton_order.inl"
#include "compute/spatial/points.h"
#include "core/error.h"

#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

namespace haloscope::compute::spatial {

struct ScatterToRows {
  const std::uint32_t* from;
  const std::uint32_t* rows;
  std::uint32_t* to;
  HALOSCOPE_HD void operator()(std::size_t i) const { to[rows[i]] = from[i]; }
};

template <class Exec>
class PointsOn : public PointSet {
 public:
  // `exec` works on `device`; it is not used after this but to give the memory back.
  PointsOn(std::shared_ptr<Exec> exec, Device device, const Domain& domain,
           const std::array<const std::uint32_t*, 3>& position, std::uint64_t count)
      : device_(device), exec_(std::move(exec)), domain_(domain), count_(count) {
    if (count > std::numeric_limits<std::uint32_t>::max())
      throw Error("more than 4294967295 particles of one type", "particles",
                  "choose fewer (they cannot be indexed yet)");
    const auto n = std::size_t(count);
    Buffer<std::uint32_t, Exec> unsorted[3];
    for (std::size_t a = 0; a < 3; ++a) {
      unsorted[a] = Buffer<std::uint32_t, Exec>(*exec_, n, "positions");
      exec_->upload(unsorted[a].data(), position[a], n * sizeof(std::uint32_t));
    }
    rows_ = morton_order(*exec_, {unsorted[0].data(), unsorted[1].data(), unsorted[2].data()}, n);
    for (std::size_t a = 0; a < 3; ++a) {
      axes_[a] = Buffer<std::uint32_t, Exec>(*exec_, n, "positions");
      parallel_for(*exec_, "positions", n,
                   Gather<std::uint32_t>{unsorted[a].data(), rows_.data(), axes_[a].data()});
      unsorted[a] = {};
    }
    exec_->synchronize();
  }

  Device device() const override { return device_; }
  const Domain& domain() const override { return domain_; }
  std::uint64_t count() const override { return count_; }
  PointsView view() const override {
    return {{axes_[0].data(), axes_[1].data(), axes_[2].data()},
            rows_.data(),
            std::uint32_t(count_),
            true};
  }

  void copy(const std::array<std::uint32_t*, 3>& to) const override {
    const auto n = std::size_t(count_);
    if (n == 0) return;
    // One of its own: other threads may read the points meanwhile.
    Exec exec(device_);
    if constexpr (Exec::is_cuda) {
      Buffer<std::uint32_t, Exec> by_row(exec, n, "positions");
      for (std::size_t a = 0; a < 3; ++a) {
        scatter(exec, a, by_row.data());
        exec.download(to[a], by_row.data(), n * sizeof(std::uint32_t));
      }
    } else {
      for (std::size_t a = 0; a < 3; ++a) scatter(exec, a, to[a]);
    }
  }

 private:
  void scatter(Exec& exec, std::size_t axis, std::uint32_t* to) const {
    parallel_for(exec, "positions", std::size_t(count_),
                 ScatterToRows{axes_[axis].data(), rows_.data(), to});
  }

  Device device_;
  std::shared_ptr<Exec> exec_;
  Domain domain_;
  std::uint64_t count_;
  Buffer<std::uint32_t, Exec> axes_[3], rows_;
};

}  // namespace haloscope::compute::spatial
