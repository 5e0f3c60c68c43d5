#include "app/viewer/panels/chosen_type.h"
#include "app/viewer/panels/short_text.h"
#include "tests/app/viewer/dry_ui.h"
#include "tests/app/viewer/scene.h"
#include "tests/catch.h"

// What is read and meant in narrow places.

namespace haloscope::app::viewer {

TEST_CASE("a text that does not fit ends in dots, between letters", "[window]") {
  const test::DryUi ui(400, 300);
  ImGui::NewFrame();
  const std::string text = "112 384 of 221 184 in view, 35 ms, 1 of 32 particles";
  const auto width = [](const std::string& words) { return ImGui::CalcTextSize(words.c_str()).x; };
  CHECK(shortened(text, width(text)) == text);
  const std::string cut = shortened(text, 0.6f * width(text));
  CHECK(cut.ends_with("\u2026"));
  CHECK(width(cut) <= 0.6f * width(text));
  CHECK(width(cut) > 0.5f * width(text));
  CHECK(text.starts_with(cut.substr(0, cut.size() - 3)));
  const std::string greek = "\u03a3\u03a3\u03a3\u03a3\u03a3\u03a3";
  for (float part = 0.9f; part > 0; part -= 0.05f) {
    // Letters of two bytes stay whole.
    const std::string some = shortened(greek, part * width(greek));
    CHECK((some.size() - 3) % 2 == 0);
  }
  CHECK(shortened(text, 0) == "\u2026");
  ImGui::EndFrame();
}

TEST_CASE("keys mean the type under the mouse, else the one unfolded last, else the first drawn",
          "[window]") {
  const SceneModel scene = test::box_model();
  session::State state;
  PanelMemory memory;
  CHECK(chosen_type(memory, nullptr, state) == "all");
  CHECK(chosen_type(memory, &scene, state) == "gas");
  state.types[0].shown = false;
  CHECK(chosen_type(memory, &scene, state) == "dm");
  memory.open_types = {{0, true}, {1, true}};
  CHECK(chosen_type(memory, &scene, state) == "gas");
  memory.opened_type = 1;
  CHECK(chosen_type(memory, &scene, state) == "dm");
  memory.open_types[1] = false;
  CHECK(chosen_type(memory, &scene, state) == "gas");
  memory.hovered_type = 1;
  CHECK(chosen_type(memory, &scene, state) == "dm");
  // Of a snapshot before, which had others.
  memory.hovered_type = 4;
  CHECK(chosen_type(memory, &scene, state) == "gas");
}

}  // namespace haloscope::app::viewer
