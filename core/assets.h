#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace haloscope {

// Where a file or folder of assets/ (`relative`: "palettes/viridis.pal") lies on this machine.
// Looked for, in this order, in
//   $HALOSCOPE_ASSETS                  what the user says,
//   <program>/../share/haloscope       installed or unpacked from a bundle,
//   <program>/assets                   everything in one folder,
//   <program>/../assets, and so on     the build tree: the nearest parent folder with
//   assets/palettes.
// Throws Error naming the places that were tried.
std::filesystem::path asset_path(const std::string& relative);

// The folders of the list above for a program that lies in `program_folder`.
std::vector<std::filesystem::path> asset_folders(const std::filesystem::path& program_folder);

}  // namespace haloscope
