#include "analysis/snapshot/json_text.h"

#include "core/visible_text.h"

#include <nlohmann/json.hpp>

namespace haloscope::analysis {

namespace {

nlohmann::json visible_json(const nlohmann::json& value) {
  if (value.is_string()) return visible_text(value.get_ref<const std::string&>());
  nlohmann::json visible = value;
  if (value.is_array())
    for (auto& item : visible) item = visible_json(item);
  if (value.is_object()) {
    visible.clear();
    for (const auto& [name, item] : value.items()) visible[visible_text(name)] = visible_json(item);
  }
  return visible;
}

}  // namespace

std::string json_text(const nlohmann::json& value, int indent) {
  try {
    std::string text = value.dump(indent);
    if (visible_text(text) == text) return text;
  } catch (const nlohmann::json::type_error&) {
    // Not UTF-8.
  }
  return visible_json(value).dump(indent);
}

}  // namespace haloscope::analysis
