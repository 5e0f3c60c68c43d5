#include "render/scene/renderer_input.h"
#include "tests/catch.h"

#include <functional>

using namespace haloscope;
using namespace haloscope::render;
using compute::splotch::Mode;
using compute::splotch::Strategy;

TEST_CASE("types of many particles are packed for pictures of light alone", "[render][packed]") {
  const auto packed = [](const std::function<void(RenderRequest&)>& change) {
    RenderRequest request;
    change(request);
    RendererInput made;
    for (const std::uint64_t count : {kPackedFrom - 1, kPackedFrom}) {
      made.inputs.emplace_back();
      made.inputs.back().count = count;
    }
    choose_packing(request, made);
    CHECK_FALSE(made.inputs[0].packed);
    return made.inputs[1].packed;
  };
  CHECK(packed([](RenderRequest&) {}));
  CHECK_FALSE(packed([](RenderRequest& r) { r.mode = Mode::Classic; }));
  CHECK_FALSE(packed([](RenderRequest& r) { r.mode = Mode::Map; }));
  CHECK_FALSE(packed([](RenderRequest& r) { r.map.shown = true; }));
  CHECK_FALSE(packed([](RenderRequest& r) { r.compute.strategy = Strategy::Paper; }));
  CHECK_FALSE(packed([](RenderRequest& r) { r.compute.exact = true; }));
  CHECK_FALSE(packed([](RenderRequest& r) { r.compute.deterministic = true; }));

  RendererInput few;
  few.inputs.resize(2);
  few.inputs[0].count = 5;
  choose_packing({}, few, 5);
  CHECK(few.inputs[0].packed);
  CHECK_FALSE(few.inputs[1].packed);
}

TEST_CASE("rows of very many particles are set aside in any picture", "[render][packed]") {
  for (const Mode mode : {Mode::Default, Mode::Classic, Mode::Map}) {
    RenderRequest request;
    request.mode = mode;
    RendererInput made;
    made.inputs.resize(2);
    made.inputs[0].count = kRowsAsideFrom - 1;
    made.inputs[1].count = kRowsAsideFrom;
    choose_packing(request, made);
    CHECK_FALSE(made.inputs[0].rows_aside);
    CHECK(made.inputs[1].rows_aside);
  }
}
