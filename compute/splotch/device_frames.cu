#include "compute/exec/buffer.h"
#include "compute/splotch/device_frames.cuh"

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <mutex>
#include <utility>

namespace haloscope::compute::splotch {

namespace {

struct FrameMemory {
  float* rgba = nullptr;
  cudaEvent_t ready = nullptr;
  std::size_t bytes = 0;
};

void give_back(const FrameMemory& memory) {
  if (memory.rgba) cudaFree(memory.rgba);
  if (memory.ready) cudaEventDestroy(memory.ready);
}

struct SumRgba {
  const float4* image;
  const float4* cpu_share;  // null: none
  float4* out;
  __device__ void operator()(std::size_t i) const {
    float4 p = image[i];
    if (cpu_share) {
      const float4 q = cpu_share[i];
      p = {p.x + q.x, p.y + q.y, p.z + q.z, 1};
    }
    p.w = 1;
    out[i] = p;
  }
};

struct LightOfPixel {
  const float* rgba;
  std::size_t stride;
  float* light;
  __device__ void operator()(std::size_t i) const { light[i] = light_of(rgba + 4 * stride * i); }
};

// Of light in ascending order.
struct PickQuantiles {
  const float* light;
  std::size_t count;
  LightQuantiles* out;
  __device__ void operator()(std::size_t) const {
    // Dark pixels come first.
    const auto dark =
        std::size_t(thrust::upper_bound(thrust::seq, light, light + count, 0.f) - light);
    const std::size_t lit = count - dark;
    *out = {};
    if (lit == 0) return;
    *out = {true, light[dark + quantile_place(lit, 0.5)],
            light[dark + quantile_place(lit, kBrightQuantile)]};
  }
};

LightQuantiles find_quantiles(Cuda& exec, const float* rgba, std::size_t pixels,
                              std::size_t stride) {
  const std::size_t count = (pixels + stride - 1) / stride;
  Buffer<float, Cuda> light(exec, count, "light of the pixels");
  parallel_for(exec, "light of the pixels", count, LightOfPixel{rgba, stride, light.data()});
  thrust::sort(exec.policy(), light.begin(), light.end());
  Buffer<LightQuantiles, Cuda> found(exec, 1, "light of the pixels");
  parallel_for(exec, "light of the pixels", 1, PickQuantiles{light.data(), count, found.data()});
  LightQuantiles out;
  exec.download(&out, found.data(), sizeof(out));
  return out;
}

}  // namespace

// Memory of pictures that were let go. Both the renderer and the pictures hold
// it.
class DeviceFrames::Pool {
 public:
  explicit Pool(Device device) : device_(device) {}
  ~Pool() {
    make_current();
    for (const FrameMemory& memory : free_) give_back(memory);
  }

  int number() const { return device_.number; }
  // Pictures end on any thread, such as the window's.
  void make_current() const noexcept { (void)cudaSetDevice(device_.number); }

  FrameMemory take(std::size_t bytes) {
    make_current();
    {
      const std::lock_guard lock(mutex_);
      for (std::size_t k = 0; k < free_.size(); ++k) {
        if (free_[k].bytes != bytes) continue;
        const FrameMemory memory = free_[k];
        free_.erase(free_.begin() + std::ptrdiff_t(k));
        return memory;
      }
      // Pictures have another size now.
      for (const FrameMemory& memory : free_) give_back(memory);
      free_.clear();
    }
    FrameMemory made;
    made.bytes = bytes;
    check_cuda(cudaMalloc(&made.rgba, bytes), "making room for a picture");
    const cudaError_t status = cudaEventCreateWithFlags(&made.ready, cudaEventDisableTiming);
    if (status != cudaSuccess) give_back(made);
    check_cuda(status, "making an event");
    return made;
  }

  void put(const FrameMemory& memory) noexcept {
    make_current();
    const std::lock_guard lock(mutex_);
    // One on screen, one on its way there, one being drawn.
    if (free_.size() < 3)
      free_.push_back(memory);
    else
      give_back(memory);
  }

 private:
  Device device_;
  std::mutex mutex_;
  std::vector<FrameMemory> free_;
};

class DeviceFrames::PooledImage final : public DeviceImage {
 public:
  PooledImage(std::shared_ptr<Pool> pool, int width, int height) : pool_(std::move(pool)) {
    width_ = width;
    height_ = height;
    device_ = pool_->number();
    memory_ = pool_->take(std::size_t(width) * std::size_t(height) * sizeof(float4));
    rgba_ = memory_.rgba;
    ready_ = memory_.ready;
  }
  ~PooledImage() override { pool_->put(memory_); }

  void fill(Cuda& exec, const float* image, const std::vector<float>& cpu_share) {
    const std::size_t pixels = std::size_t(width_) * std::size_t(height_);
    Buffer<float, Cuda> share(exec, cpu_share.size(), "the CPU's share");
    if (!cpu_share.empty())
      exec.upload(share.data(), cpu_share.data(), cpu_share.size() * sizeof(float));
    parallel_for(
        exec, "keep the picture", pixels,
        SumRgba{reinterpret_cast<const float4*>(image),
                reinterpret_cast<const float4*>(share.data()), reinterpret_cast<float4*>(rgba_)});
    check_cuda(cudaEventRecord(memory_.ready, exec.stream()), "marking a picture");
    light_ = find_quantiles(exec, rgba_, pixels, quantile_stride(pixels));
    if (!light_.lit && quantile_stride(pixels) > 1) light_ = find_quantiles(exec, rgba_, pixels, 1);
  }

  ImageF to_host() const override {
    const std::size_t pixels = std::size_t(width_) * std::size_t(height_);
    std::vector<float> rgba(4 * pixels);
    pool_->make_current();
    check_cuda(cudaEventSynchronize(memory_.ready), "waiting for a picture");
    check_cuda(cudaMemcpy(rgba.data(), rgba_, rgba.size() * sizeof(float), cudaMemcpyDeviceToHost),
               "bringing a picture to the host");
    ImageF out(width_, height_, 3);
    for (std::size_t i = 0; i < pixels; ++i)
      for (std::size_t c = 0; c < 3; ++c) out.pixels[3 * i + c] = rgba[4 * i + c];
    return out;
  }

 private:
  std::shared_ptr<Pool> pool_;
  FrameMemory memory_;
};

DeviceFrames::DeviceFrames(Device device) : pool_(std::make_shared<Pool>(device)) {}

std::shared_ptr<const DeviceImage> DeviceFrames::keep(Cuda& exec, const float* image,
                                                      const std::vector<float>& cpu_share,
                                                      int width, int height) {
  auto made = std::make_shared<PooledImage>(pool_, width, height);
  made->fill(exec, image, cpu_share);
  exec.synchronize();
  return made;
}

}  // namespace haloscope::compute::splotch
