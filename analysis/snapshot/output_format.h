#pragma once

#include <string>

namespace haloscope::analysis {

// What an output is written as. Pictures and films are told by the extension of their name.
enum class OutputFormat { Picture, Film, Svg, Hdf5, Csv, Json, Toml, Recording, Npy, Vti, Text };

// "a PNG picture", of an output of this name.
std::string format_in_words(OutputFormat format, const std::string& path);

// Whether the file at `path` begins as its new content will. Of text only what tells it from others
// is looked at: CSV and paths of Splotch may hold any text.
bool begins_as(OutputFormat format, const std::string& path);

}  // namespace haloscope::analysis
