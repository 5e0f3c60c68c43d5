#include "app/cli/render_overlays.h"
#include "core/error.h"

// Of a program that was built without the window's libraries.
namespace haloscope::app::cli {

PictureOverlays choose_overlays(const session::State&, render::RenderRequest&, bool) {
  throw Error("this haloscope was built without its window, which draws overlays", "--overlays",
              "build it where GLFW and Dear ImGui are (scripts/install_packages), or leave it out");
}

Image8 with_overlays(const Image8& picture, render::SnapshotScene&, const compute::splotch::View&,
                     const PictureOverlays&, const compute::splotch::Ranging&,
                     analysis::RunContext&) {
  return picture;
}

}  // namespace haloscope::app::cli
