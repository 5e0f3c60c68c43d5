#include "compute/exec/cuda.h"
#include "render/gl/interop.h"

#include <cuda_gl_interop.h>

#include <algorithm>
#include <array>

namespace haloscope::render::gl {

namespace {

using compute::check_cuda;

constexpr unsigned kTexture2D = 0x0DE1;  // GL_TEXTURE_2D

// A texture as CUDA knows it.
class Registration {
 public:
  Registration() = default;
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration() { clear(); }

  bool is_of(const Texture& texture) const { return resource_ && texture_ == texture.id(); }
  void set(const Texture& texture) {
    clear();
    check_cuda(cudaGraphicsGLRegisterImage(&resource_, texture.id(), kTexture2D,
                                           cudaGraphicsRegisterFlagsWriteDiscard),
               "sharing a texture with OpenGL");
    texture_ = texture.id();
  }
  void clear() {
    if (resource_) cudaGraphicsUnregisterResource(resource_);
    resource_ = nullptr;
  }
  cudaGraphicsResource_t* resource() { return &resource_; }

 private:
  cudaGraphicsResource_t resource_ = nullptr;
  unsigned texture_ = 0;
};

// The texture's memory while OpenGL must leave it alone.
class Mapped {
 public:
  Mapped(Registration& texture, cudaStream_t stream) : texture_(texture), stream_(stream) {
    check_cuda(cudaGraphicsMapResources(1, texture.resource(), stream),
               "taking a texture from OpenGL");
  }
  ~Mapped() { cudaGraphicsUnmapResources(1, texture_.resource(), stream_); }
  cudaArray_t array() {
    cudaArray_t array = nullptr;
    check_cuda(cudaGraphicsSubResourceGetMappedArray(&array, *texture_.resource(), 0, 0),
               "finding a texture's memory");
    return array;
  }

 private:
  Registration& texture_;
  cudaStream_t stream_;
};

struct Stream {
  cudaStream_t stream = nullptr;
  Stream() {
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream); }
};

// Its calls come on the window's thread, which works on no GPU otherwise.
class CudaInterop final : public Interop {
 public:
  // `device` is the one that the thread works on.
  explicit CudaInterop(compute::Device device) : device_(device) {}
  ~CudaInterop() override { (void)cudaSetDevice(device_.number); }

  void show(const compute::splotch::DeviceImage& frame, Picture& picture) override {
    check_cuda(cudaSetDevice(device_.number), "choosing the GPU");
    const Texture& before = picture.light();
    // A texture must not go away while CUDA knows it.
    if (before.width() != frame.width() || before.height() != frame.height()) texture_.clear();
    if (picture.set_size(frame.width(), frame.height()) || !texture_.is_of(picture.light()))
      texture_.set(picture.light());
    check_cuda(cudaStreamWaitEvent(stream_.stream, static_cast<cudaEvent_t>(frame.ready())),
               "waiting for a picture");
    copy(frame);
    // From here on the frame's memory may become another picture.
    check_cuda(cudaStreamSynchronize(stream_.stream), "copying a picture to OpenGL");
  }

  void release() override {
    (void)cudaSetDevice(device_.number);
    texture_.clear();
  }

 private:
  void copy(const compute::splotch::DeviceImage& frame) {
    const std::size_t row = std::size_t(frame.width()) * 4 * sizeof(float);
    Mapped mapped(texture_, stream_.stream);
    check_cuda(cudaMemcpy2DToArrayAsync(mapped.array(), 0, 0, frame.rgba(), row, row,
                                        std::size_t(frame.height()), cudaMemcpyDeviceToDevice,
                                        stream_.stream),
               "copying a picture to OpenGL");
  }

  compute::Device device_;
  Stream stream_;
  Registration texture_;  // ends before the stream
};

}  // namespace

std::unique_ptr<Interop> make_interop(compute::Device device, std::string& why) {
  if (!device.is_gpu()) {
    why = "no GPU computes";
    return nullptr;
  }
  std::array<int, 16> devices{};
  unsigned count = 0;
  cudaError_t status = cudaSetDevice(device.number);
  if (status == cudaSuccess)
    status =
        cudaGLGetDevices(&count, devices.data(), unsigned(devices.size()), cudaGLDeviceListAll);
  if (status != cudaSuccess) {
    (void)cudaGetLastError();
    why = status == cudaErrorNoDevice ? "OpenGL is not drawn by the GPU that computes"
                                      : std::string("CUDA says: ") + cudaGetErrorString(status);
    return nullptr;
  }
  const auto end =
      devices.begin() + std::min<std::ptrdiff_t>(count, std::ptrdiff_t(devices.size()));
  if (std::find(devices.begin(), end, device.number) == end) {
    why = "OpenGL is drawn by another GPU than the one that computes";
    return nullptr;
  }
  try {
    return std::make_unique<CudaInterop>(device);
  } catch (const Error& error) {
    why = error.what();
    return nullptr;
  }
}

}  // namespace haloscope::render::gl
