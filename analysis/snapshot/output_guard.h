#pragma once

#include <string>
#include <vector>

namespace haloscope::analysis {

// True where both names lead to one file: the same device and inode (links, hard links, other
// spellings), or, of files that do not exist yet, the same place.
bool same_file(const std::string& a, const std::string& b);

// Throws Error where an output would replace a file that the run reads, or another of its outputs.
// Commands call it before they draw: a snapshot that was overwritten is gone.
void refuse_overwriting(const std::vector<std::string>& outputs,
                        const std::vector<std::string>& inputs);

}  // namespace haloscope::analysis
