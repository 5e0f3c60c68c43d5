#include "app/viewer/viewer.h"

#include <algorithm>
#include <filesystem>

// What is read of files beside the snapshot that is open: headers of the series, a folder.
namespace haloscope::app::viewer {

namespace {

// Where the snapshot that is open lies, else the working folder.
std::string usual_folder(const std::string& snapshot) {
  namespace fs = std::filesystem;
  std::error_code gone;
  const fs::path here = fs::absolute(snapshot.empty() ? "." : snapshot, gone).lexically_normal();
  std::string folder = (snapshot.empty() ? here : here.parent_path()).string();
  if (!folder.ends_with('/')) folder += '/';
  return gone ? "./" : folder;
}

}  // namespace

// Only what is on screen is read, or on a picture of the window that is asked for.
void Viewer::want_files() {
  series_.take();
  folder_.take();
  typed_folder_.take();
  if (patient_ && exporter_.window_shots().empty()) return;
  if (state_.layout.bars && state_.snapshots.size() > 1) series_.want(state_.snapshots, base_.said);
  if (memory_.command.has_path && is_open("commands"))
    typed_folder_.want(PathDraft::folder_of(memory_.command.path), {});
  else
    typed_folder_.forget();
  if (!is_open("file")) return folder_.forget();
  if (memory_.path.text().empty()) memory_.path.set(usual_folder(state_.snapshot()));
  folder_.want(memory_.path.folder(), memory_.seen_files);
}

}  // namespace haloscope::app::viewer
