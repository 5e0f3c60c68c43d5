#include "analysis/snapshot/field_choice.h"

#include "core/error.h"
#include "core/text_values.h"

namespace haloscope::analysis {

FieldChoice parse_field(const std::string& option, const std::string& text) {
  using compute::splotch::Transform;
  FieldChoice choice;
  const auto colon = text.rfind(':');
  choice.field = trimmed(text.substr(0, colon));
  if (choice.field.empty())
    throw Error("'" + text + "' is not a field such as Temperature:log", option);
  if (colon == std::string::npos) return choice;
  const std::string transform = trimmed(text.substr(colon + 1));
  choice.transform_given = true;
  if (transform == "log")
    choice.transform = Transform::Log;
  else if (transform == "asinh")
    choice.transform = Transform::Asinh;
  else if (transform != "lin" && transform != "linear")
    throw Error("'" + text + "' is not a field with :log, :lin or :asinh behind it", option);
  return choice;
}

}  // namespace haloscope::analysis
