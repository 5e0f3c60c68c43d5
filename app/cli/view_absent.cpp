#include "app/cli/view.h"
#include "core/error.h"

// Of a program that was built without the window's libraries.
namespace haloscope::app::cli {

bool has_window() {
  return false;
}

void run_view(const ViewCommand&, analysis::RunContext&) {
  throw Error("this haloscope was built without its window", "view",
              "build it where GLFW and Dear ImGui are (scripts/install_packages), or use "
              "haloscope render");
}

}  // namespace haloscope::app::cli
