#include "app/session/files_read.h"

#include "analysis/loaded_halos/catalog_beside.h"
#include "analysis/loaded_halos/loaded_halos_options.h"

namespace haloscope::app::session {

namespace {

constexpr const char* kCatalogReader = "loaded_halos";

void add_catalog(const std::string& finder, const analysis::AnyOptions& options,
                 const SceneFacts& scene, std::vector<std::string>& files) {
  if (finder != kCatalogReader) return;
  const std::string& file = options.as<analysis::LoadedHalosOptions>().file;
  if (!file.empty())
    files.push_back(file);
  else if (scene.info)
    if (const auto beside = analysis::catalog_beside(*scene.info)) files.push_back(*beside);
}

}  // namespace

std::vector<std::string> files_read(const State& state, const SceneFacts& scene) {
  std::vector<std::string> files = state.snapshots;
  if (scene.info) files.insert(files.end(), scene.info->files.begin(), scene.info->files.end());
  for (const auto& [finder, finding] : state.findings)
    if (finding.searched) add_catalog(finder, finding.options, scene, files);
  if (state.compared) add_catalog(state.compared->finder, state.compared->options, scene, files);
  return files;
}

}  // namespace haloscope::app::session
