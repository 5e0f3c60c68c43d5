// Wide splats drawn from lists whose room is that of the lists before.

#include "compute/splotch/wide_drawing.cuh"
#include "tests/catch.h"
#include "tests/compute/splotch/made_splats.cuh"
#include "tests/skip.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

using namespace haloscope::compute;
using namespace haloscope::compute::splotch;
using haloscope::test::made_splats;

namespace {

constexpr int kWidth = 600, kHeight = 400;
constexpr std::size_t kFloats = std::size_t(4) * kWidth * kHeight;

template <class S>
class Canvas {
 public:
  Canvas(unsigned count, bool with_levels, bool exact)
      : exec_(Device::cuda()),
        stored_(exec_, count, "splats of a test"),
        image_(exec_, kFloats, "image"),
        with_levels_(with_levels),
        exact_(exact) {
    const std::vector<Splat> splats = made_splats(count, kWidth, kHeight);
    Buffer<Splat, Cuda> made(exec_, count, "splats of a test");
    exec_.upload(made.data(), splats.data(), count * sizeof(Splat));
    haloscope::test::store_splats<<<(count + 255) / 256, 256, 0, exec_.stream()>>>(
        made.data(), count, stored_.data());
    check_cuda(cudaGetLastError(), "making splats of a test");
    exec_.synchronize();
  }

  Cuda& exec() { return exec_; }

  // The picture of the first `count` splats; `again`: whether they were drawn once more.
  std::vector<float> draw(WideDrawing& drawing, unsigned count, bool& again) {
    exec_.zero(image_.data(), kFloats * sizeof(float));
    Levels<Cuda> levels(exec_, kWidth, kHeight);
    if (with_levels_) levels.touch_up_to(levels.coarsest());
    const SplatList list{stored_.data(), unsigned(stored_.size()), std::is_same_v<S, PackedSplat>};
    bool listed = false;
    drawing.begin<Mode::Default>({list, count, Cells{image_.data(), kWidth, kHeight, 0},
                                  with_levels_ ? &levels : nullptr, exact_},
                                 this, [&] { listed = true; });
    CHECK(listed == (count > 0));
    again = drawing.finish() > 0;
    levels.add_to(image_.data());
    std::vector<float> out(kFloats);
    exec_.download(out.data(), image_.data(), kFloats * sizeof(float));
    return out;
  }

 private:
  Cuda exec_;
  Buffer<S, Cuda> stored_;
  Buffer<float, Cuda> image_;
  bool with_levels_, exact_;
};

// Sums are in any order. Whether a tile's splats are drawn by products hinges on such a sum, and
// products may be wrong by a hundredth of the light.
void require_same(const std::vector<float>& a, const std::vector<float>& b, bool exact) {
  double sum = 0;
  for (const float v : b) sum += double(v);
  const double mean = sum / double(b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double off = std::abs(double(a[i]) - double(b[i])) / (std::abs(double(b[i])) + mean);
    worst = std::max(worst, std::isfinite(off) ? off : HUGE_VAL);
  }
  CHECK(mean > 0);
  CHECK(worst < (exact ? 1e-5 : 1.1e-2));
}

template <class S>
void check_drawing(bool with_levels, bool exact) {
  constexpr unsigned kMany = 1300000, kFew = 3000;
  Canvas<S> canvas(kMany, with_levels, exact);
  WideDrawing kept(canvas.exec());
  bool again = false;
  const auto check = [&](unsigned count, bool expects_again) {
    CAPTURE(count);
    const std::vector<float> image = canvas.draw(kept, count, again);
    CHECK(again == expects_again);
    WideDrawing fresh(canvas.exec());
    const std::vector<float> expected = canvas.draw(fresh, count, again);
    CHECK_FALSE(again);
    require_same(image, expected, exact);
  };
  check(kFew, false);  // the first of all asks for its room
  check(kMany, true);
  check(kMany, false);
  check(kMany - kMany / 20, false);
  check(kFew, false);
  check(kFew, false);
  check(kMany, true);
  // None at all leave the room as it is.
  const std::vector<float> nothing = canvas.draw(kept, 0, again);
  CHECK(std::all_of(nothing.begin(), nothing.end(), [](float v) { return v == 0; }));
  check(kMany, false);
}

}  // namespace

TEST_CASE("wide splats are the same, whatever room the lists before them needed", "[gpu]") {
  if (!is_usable(Device::cuda()))
    return haloscope::test::skip(haloscope::test::Needs::Gpu, "there is no GPU");
  const bool with_levels = GENERATE(false, true), exact = GENERATE(false, true);
  CAPTURE(with_levels, exact);
  check_drawing<WideSplat>(with_levels, exact);
  check_drawing<PackedSplat>(with_levels, exact);
}
