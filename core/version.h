#pragma once

#include <string>

namespace haloscope {

// "haloscope 0.1.0": what files say that the program wrote. The same for every commit of a version.
std::string version();

}  // namespace haloscope
