#include "compute/exec/buffer.h"
#include "compute/exec/side_stream.cuh"
#include "tests/catch.h"
#include "tests/skip.h"

#include <array>
#include <stdexcept>

using namespace haloscope::compute;

namespace {

// Some ten milliseconds.
constexpr long long kLong = 20'000'000;

__global__ void set_after(int* to, int value, long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  *to = value;
}

__global__ void copy(int* to, const int* from) {
  *to = *from;
}

std::array<int, 5> downloaded(Cuda& exec, const Buffer<int, Cuda>& from) {
  std::array<int, 5> out{};
  exec.download(out.data(), from.data(), sizeof(out));
  return out;
}

}  // namespace

TEST_CASE("work on a side stream waits for the executor's, which waits for it where it says so",
          "[gpu]") {
  if (!is_usable(Device::cuda()))
    return haloscope::test::skip(haloscope::test::Needs::Gpu, "there is no GPU");
  Cuda exec(Device::cuda());
  SideStream side(exec);
  Buffer<int, Cuda> values(exec, 5, "values of a test");
  exec.zero(values.data(), 5 * sizeof(int));
  int* const v = values.data();
  const cudaStream_t own = exec.stream();

  SECTION("joins") {
    set_after<<<1, 1, 0, exec.stream()>>>(v, 7, kLong);
    SideStream::Fork fork(side);
    fork.run([&] {
      CHECK(exec.stream() != own);
      set_after<<<1, 1, 0, exec.stream()>>>(v + 1, 8, 0);
      copy<<<1, 1, 0, exec.stream()>>>(v + 1, v);
    });
    CHECK(exec.stream() == own);
    fork.run([&] { set_after<<<1, 1, 0, exec.stream()>>>(v + 2, 9, kLong); });
    fork.join();
    copy<<<1, 1, 0, exec.stream()>>>(v + 3, v + 1);
    copy<<<1, 1, 0, exec.stream()>>>(v + 4, v + 2);
    CHECK(downloaded(exec, values) == std::array{7, 7, 9, 7, 9});
  }
  SECTION("an error on the way") {
    const auto fails = [&] {
      SideStream::Fork fork(side);
      fork.run([&] {
        set_after<<<1, 1, 0, exec.stream()>>>(v, 7, kLong);
        throw std::runtime_error("made for a test");
      });
    };
    CHECK_THROWS_AS(fails(), std::runtime_error);
    CHECK(exec.stream() == own);
    // What it had put there is waited for.
    copy<<<1, 1, 0, exec.stream()>>>(v + 1, v);
    CHECK(downloaded(exec, values) == std::array{7, 7, 0, 0, 0});
  }
  check_cuda(cudaGetLastError(), "the side stream of a test");
}
