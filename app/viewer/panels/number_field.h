#pragma once

#include "app/viewer/panels/panel_input.h"

#include <limits>
#include <optional>
#include <string>

// The one field for numbers of all panels. Dear ImGui's own take a number at each letter, lose what
// was typed where it shall hold from Enter on, and leave out the letter of an exponent.
//
// A number is written as commands take it: 12, 1e4, 1E-3, -2.5e+03. What was typed holds once the
// field is left, by Enter, Tab or a press elsewhere; fields in a row are left together. Escape
// leaves them as they were. What is no number is told (PanelInput::complain), and the value before
// it stays.
namespace haloscope::app::viewer {

// `count` numbers in a row before their label; `format` as printf takes it. True: there are new
// ones, in this frame.
bool number_fields(const PanelInput& input, const char* label, double* values, int count,
                   const char* format);
bool number_field(const PanelInput& input, const char* label, double& value, const char* format);
// An empty field is no value; `hint` stands dimmed in it.
bool optional_number_field(const PanelInput& input, const char* label, std::optional<double>& value,
                           const char* format, const char* hint);

// Whole numbers; those outside `least` and `most` are told too.
struct WholeRange {
  int least = 0, most = std::numeric_limits<int>::max();
};
bool whole_number_fields(const PanelInput& input, const char* label, int* values, int count,
                         const WholeRange& range);
// With buttons that make it one smaller or greater.
bool whole_number_field(const PanelInput& input, const char* label, int& value,
                        const WholeRange& range);
// An empty field is no value, as above.
bool optional_whole_number_field(const PanelInput& input, const char* label,
                                 std::optional<int>& value, const char* hint,
                                 const WholeRange& range);

}  // namespace haloscope::app::viewer
