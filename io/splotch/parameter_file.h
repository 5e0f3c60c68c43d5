#pragma once

#include <string>

namespace haloscope::io {

// Whether a file looks like Splotch's parameters: lines of "key=value" alone, its input among them.
bool is_splotch_parameter_file(const std::string& path);

}  // namespace haloscope::io
