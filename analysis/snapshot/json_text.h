#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace haloscope::analysis {

// JSON as text, indented by so many blanks (-1: in one line). Names in files and of files need not
// be UTF-8, which JSON is: bytes that are not, and control characters that JSON lets stand, become
// visible (visible_text).
std::string json_text(const nlohmann::json& value, int indent = 2);

}  // namespace haloscope::analysis
