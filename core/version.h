#pragma once

#include <string>

namespace haloscope {

// "haloscope 0.1.0": what files say that the program wrote. The same for every commit of a version.
std::string version();

// The commit the program was built from: "4760e7f1a2", "4760e7f1a2, changed" where the sources
// differ from it, "unknown" where the sources are neither a checkout nor an archive of git.
std::string revision();

}  // namespace haloscope
