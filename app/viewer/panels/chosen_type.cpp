#include "app/viewer/panels/chosen_type.h"

#include "app/viewer/panels/scene_words.h"

#include <algorithm>

namespace haloscope::app::viewer {

std::string chosen_type(const PanelMemory& memory, const SceneModel* scene,
                        const session::State& state) {
  if (!scene || scene->types.empty()) return "all";
  if (state.map.shown) return session::kMapWord;
  const auto& types = scene->types;
  const auto there = [&](int type) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  const auto open = [&](int type) {
    const auto known = memory.open_types.find(type);
    return known != memory.open_types.end() && known->second;
  };
  if (const auto hovered = memory.hovered_type; hovered && there(*hovered))
    return type_word(*scene, *hovered);
  if (const auto opened = memory.opened_type; opened && there(*opened) && open(*opened))
    return type_word(*scene, *opened);
  const auto drawn = [&](const int& type) {
    const auto k = std::size_t(&type - types.data());
    return state.type(type).shown.value_or(scene->looks[k].shown);
  };
  auto chosen = std::find_if(types.begin(), types.end(), open);
  if (chosen == types.end()) chosen = std::find_if(types.begin(), types.end(), drawn);
  return type_word(*scene, chosen == types.end() ? types.front() : *chosen);
}

}  // namespace haloscope::app::viewer
