#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/resident_labels.h"
#include "compute/exec/slices.inl"

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace haloscope::compute {

// An executor that labels share with the tree that made them, one at a time.
template <class Exec>
struct SharedExecutor {
  template <class Argument>
  explicit SharedExecutor(Argument& argument) : exec(argument) {}
  Exec exec;
  std::mutex mutex;
};

template <class Exec>
class SharedLabels final : public ResidentLabels {
 public:
  SharedLabels(std::shared_ptr<SharedExecutor<Exec>> shared, Buffer<std::uint32_t, Exec> labels)
      : shared_(std::move(shared)), labels_(std::move(labels)) {}
  Device device() const override { return shared_->exec.device(); }
  const std::uint32_t* data() const override { return labels_.data(); }
  std::uint32_t count() const override { return std::uint32_t(labels_.size()); }
  std::vector<std::uint32_t> download() const override {
    const std::lock_guard lock(shared_->mutex);
    return compute::download(shared_->exec, labels_);
  }

 private:
  std::shared_ptr<SharedExecutor<Exec>> shared_;
  Buffer<std::uint32_t, Exec> labels_;
};

}  // namespace haloscope::compute
