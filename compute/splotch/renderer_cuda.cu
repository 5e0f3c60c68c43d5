#include "compute/exec/cpu.h"
#include "compute/exec/cuda.h"
#include "compute/splotch/auto_cuda.cuh"
#include "compute/splotch/phase_timer.cuh"
#include "compute/splotch/renderer.inl"
#include "compute/splotch/streamed_store.cuh"

#include <memory>

namespace haloscope::compute::splotch {

namespace {

class CudaRenderer final : public Renderer {
 public:
  CudaRenderer(Device device, std::uint64_t budget, Ranks* ranks, Wire wire,
               std::uint64_t drawn_at_once)
      : exec_(std::make_shared<Cuda>(device)),
        ranks_(ranks, device, wire),
        budget_(budget),
        drawn_at_once_(drawn_at_once) {}

  void set_particles(const Domain& domain, const std::vector<TypeInput>& types,
                     Progress& progress) override {
    store_.reset();
    domain_ = domain;
    store_ = std::make_unique<CudaStore>(exec_, domain, types, budget_, drawn_at_once_, progress);
  }

  void recolor(const std::vector<const float*>& values) override { store_->recolor(values); }
  void label(const std::vector<const std::uint8_t*>& labels) override { store_->label(labels); }
  bool recolor_by(const std::vector<LabeledType>& types) override {
    return store_->recolor_by(types);
  }

  Frame render(const View& view, const std::vector<Appearance>& appearances, const Options& options,
               Progress& progress) override {
    switch (options.mode) {
      case Mode::Classic:
        return render_frame<Mode::Classic>(*exec_, *store_, view, domain_, appearances, options,
                                           progress, ranks_);
      case Mode::Map:
        return render_frame<Mode::Map>(*exec_, *store_, view, domain_, appearances, options,
                                       progress, ranks_);
      case Mode::Default:
        return render_frame<Mode::Default>(*exec_, *store_, view, domain_, appearances, options,
                                           progress, ranks_);
    }
    throw Error("unknown mode", "renderer");
  }

  std::string device_name() const override { return exec_->device_name(); }
  std::uint64_t peak_device_memory() const override { return exec_->peak_memory(); }
  std::vector<std::uint64_t> estimated_radii() const override { return store_->estimated_radii(); }
  std::vector<float> radius_sample(std::size_t type, std::size_t at_most) const override {
    return store_->radius_sample(type, at_most);
  }
  std::vector<float> radii(std::size_t type) const override { return store_->radii(type); }
  std::shared_ptr<const spatial::PointSet> points(std::size_t type) const override {
    return store_->points(type);
  }

 private:
  std::shared_ptr<Cuda> exec_;  // of the points too, which may live longer
  const DrawingRanks ranks_;
  std::uint64_t budget_, drawn_at_once_;
  Domain domain_;
  std::unique_ptr<CudaStore> store_;
};

}  // namespace

std::unique_ptr<Renderer> make_cuda_renderer(Device device, std::uint64_t memory_budget,
                                             Ranks* ranks, Wire wire, std::uint64_t drawn_at_once) {
  return std::make_unique<CudaRenderer>(device, memory_budget, ranks, wire, drawn_at_once);
}

}  // namespace haloscope::compute::splotch
