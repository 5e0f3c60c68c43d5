#include "app/viewer/scene_facts.h"

#include "core/particles.h"
#include "io/loading/derived_fields.h"

#include <algorithm>

namespace haloscope::app::viewer {

session::SceneFacts facts_of(const SceneModel& model) {
  session::SceneFacts facts;
  facts.open = true;
  facts.bounds = model.bounds;
  facts.periodic = model.info.periodic && model.info.box_size > 0;
  facts.box_origin = model.info.box_origin;
  facts.box_size = model.info.box_size;
  facts.types = model.types;
  for (std::size_t k = 0; k < model.types.size(); ++k) {
    facts.scales[model.types[k]] = model.appearances[k].color.transform;
    if (!model.looks[k].shown) facts.hidden_at_first.insert(model.types[k]);
  }
  for (const int type : model.types) {
    auto& names = facts.fields[type];
    for (const auto& field : model.info.types.at(type).fields)
      if (field.components == 1) names.push_back(field.name);
    for (const auto& field : io::derived_fields(model.info, type)) {
      if (field.components == 1) names.push_back(field.name);
      if (field.name == io::kStarColor) facts.colors[type] = {field.name};
    }
    names.push_back(kLocalDensity);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  }
  return facts;
}

}  // namespace haloscope::app::viewer
