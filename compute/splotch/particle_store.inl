#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/map_words.inl"
#include "compute/spatial/local_spacing.inl"
#include "compute/spatial/points.inl"
#include "compute/splotch/layer.h"
#include "compute/splotch/radius_sample.h"
#include "compute/splotch/settings.h"

#include <memory>
#include <vector>

namespace haloscope::compute::splotch {

struct NotPositive {
  HALOSCOPE_HD bool operator()(float h) const { return !(h > 0); }
};

struct TakeRadii {
  Columns from;
  std::size_t first, stride;
  float* to;
  HALOSCOPE_HD void operator()(std::size_t i) const { to[i] = from.radius_of(first + i * stride); }
};

struct ColorOfRow {
  const std::uint32_t* label;  // of each row
  std::uint32_t colors;
  HALOSCOPE_HD float operator()(std::uint32_t row) const {
    const std::uint32_t own = label[row];
    return own == ~0u ? 0.f : float(1 + own % colors);
  }
};

// The columns of one type on one executor, in Morton order.
template <class Exec>
class StoredType {
 public:
  // Sorts and copies the host columns; radii that are missing or not positive are estimated.
  StoredType(const std::shared_ptr<Exec>& shared, Device device, const TypeInput& in,
             const Domain& domain)
      : count_(in.count) {
    Exec& exec = *shared;
    const auto points =
        std::make_shared<spatial::PointsOn<Exec>>(shared, device, domain, in.position, in.count);
    points_ = points;
    uniform_weight_ = in.uniform_weight;
    density_color_ = in.density_color;
    // In this order packed points with one more column need no more memory at once than their
    // sorting: rows are moved to the host first, then radii are uploaded and packed, then colors.
    if (in.rows_aside && Exec::is_cuda) points->set_rows_aside();
    set_radii(exec, in, domain);
    if (in.packed) radius_ = points->pack(radius_);
    for (int c = 0; c < 3; ++c)
      if (in.color[std::size_t(c)])
        color_[c] = points_->in_order(exec, in.color[std::size_t(c)], "colors");
    if (in.weight) weight_ = points_->in_order(exec, in.weight, "weights");
  }

  // Values to color by in place of the type's own, in file order; null: its own again.
  void recolor(Exec& exec, const float* values) {
    recolored_ = {};
    if (values) recolored_ = points_->in_order(exec, values, "colors");
    exec.synchronize();
  }

  // The same by labels on this executor's device; null: none has one.
  void recolor_by(Exec& exec, const std::uint32_t* labels, std::uint32_t colors) {
    if (recolored_.size() != count_) recolored_ = Buffer<float, Exec>(exec, count_, "colors");
    spatial::HeldPoints held;
    if (labels) held = points_->hold();
    if (labels)
      map_words(exec, "colors", count_, held.view.rows, recolored_.data(),
                ColorOfRow{labels, colors});
    else
      exec.zero(recolored_.data(), count_ * sizeof(float));
    exec.synchronize();
  }

  // Labels in file order, null: 0 for each.
  void label(Exec& exec, const std::uint8_t* labels) {
    labels_ = {};
    if (labels) {
      labels_ = points_->in_order(exec, labels, "labels of sets");
    } else {
      labels_ = Buffer<std::uint8_t, Exec>(exec, count_, "labels of sets");
      exec.zero(labels_.data(), count_);
    }
    exec.synchronize();
  }
  void forget_labels() { labels_ = {}; }

  Columns columns() const {
    Columns c;
    c.count = count_;
    c.position = points_->positions();
    c.radius = radius_.data();
    for (int k = 0; k < 3; ++k) c.color[k] = color_[k].data();
    c.weight = weight_.data();
    c.uniform_weight = uniform_weight_;
    c.density_color = density_color_;
    c.label = labels_.data();
    if (!recolored_.empty()) {
      c.color[0] = recolored_.data();
      c.color[1] = c.color[2] = nullptr;
      c.density_color = 0;
    }
    return c;
  }
  std::shared_ptr<const spatial::PointSet> points() const { return points_; }
  std::uint64_t estimated_radii() const { return estimated_; }

  std::vector<float> radii_in_file_order(Exec& exec) const {
    std::vector<float> sorted_radii(count_), out(count_);
    std::vector<std::uint32_t> order(count_);
    if (count_ == 0) return out;
    constexpr std::size_t kAtOnce = 1u << 24;
    Buffer<float, Exec> some(exec, std::min(kAtOnce, count_), "radii");
    for (std::size_t first = 0; first < count_; first += kAtOnce) {
      const std::size_t n = std::min(kAtOnce, count_ - first);
      parallel_for(exec, "radii", n, TakeRadii{columns(), first, 1, some.data()});
      exec.download(sorted_radii.data() + first, some.data(), n * sizeof(float));
    }
    const spatial::HeldPoints held = points_->hold();
    exec.download(order.data(), held.view.rows, count_ * sizeof(std::uint32_t));
    for (std::size_t k = 0; k < count_; ++k) out[order[k]] = sorted_radii[k];
    return out;
  }

  // Every n-th radius in Morton order, at most `at_most` of them.
  std::vector<float> radius_sample(Exec& exec, std::size_t at_most) const {
    const std::size_t stride = radius_stride(count_, at_most);
    std::vector<float> out((count_ + stride - 1) / stride);
    if (out.empty()) return out;
    Buffer<float, Exec> sample(exec, out.size(), "radii");
    parallel_for(exec, "sample radii", out.size(), TakeRadii{columns(), 0, stride, sample.data()});
    exec.download(out.data(), sample.data(), out.size() * sizeof(float));
    return out;
  }

 private:
  void set_radii(Exec& exec, const TypeInput& in, const Domain& domain) {
    Buffer<float, Exec> given;
    if (in.radius) given = points_->in_order(exec, in.radius, "radii");
    estimated_ = in.radius ? std::uint64_t(thrust::count_if(exec.policy(), given.begin(),
                                                            given.end(), NotPositive{}))
                           : count_;
    if (in.radius && estimated_ == 0) {
      radius_ = std::move(given);
      return;
    }
    radius_ = Buffer<float, Exec>(exec, count_, "radii");
    // Caps: no estimate beyond four times what a uniform set would get, nor below the resolution.
    const double side = domain.periodic ? domain.side : 0.5 * domain.side;
    const double uniform = side * std::cbrt(3 * double(spatial::LocalSpacing::kNeighbors) /
                                            (4 * 3.14159265 * double(count_ ? count_ : 1)));
    spatial::LocalSpacing spacing{points_->positions(),  count_,
                                  float(domain.step()),  float(std::min(4 * uniform, side)),
                                  float(1e-6 * uniform), in.radius ? given.data() : nullptr,
                                  radius_.data()};
    parallel_for(exec, "local spacing", count_, spacing);
    exec.synchronize();
  }

  std::size_t count_ = 0;
  std::shared_ptr<const spatial::PointsOn<Exec>> points_;
  Buffer<float, Exec> radius_, color_[3], weight_, recolored_;
  Buffer<std::uint8_t, Exec> labels_;
  float uniform_weight_ = 1;
  float density_color_ = 0;
  std::uint64_t estimated_ = 0;
};

// Labels of all types (Renderer::label).
template <class Exec>
void label_types(Exec& exec, std::vector<StoredType<Exec>>& types,
                 const std::vector<const std::uint8_t*>& labels) {
  for (auto& type : types) type.forget_labels();
  try {
    for (std::size_t k = 0; k < labels.size(); ++k) types.at(k).label(exec, labels[k]);
  } catch (...) {
    for (auto& type : types) type.forget_labels();
    throw;
  }
}

}  // namespace haloscope::compute::splotch
