#pragma once

#include "tests/command_line.h"
#include "tests/made/slab_finder.h"
#include "tests/output_folder.h"
#include "tests/test_paths.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::test {

// The program with one analysis more, the slabs, working on the sample in a folder of its own.
struct AddedSlabs {
  analysis::AddedFinder finder{std::make_shared<SlabFinder>()};
  OutputFolder folder;
  std::string sample = sample_file();

  std::string text(const std::string& name) const {
    std::ifstream file(folder.path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Outcome run(const std::vector<std::string>& words) const {
    const auto former = std::filesystem::current_path();
    std::filesystem::current_path(folder.path());
    const Outcome outcome = run_program(words);
    std::filesystem::current_path(former);
    return outcome;
  }
  Outcome view(const std::string& commands) const {
    put_bytes(folder.path("commands.txt"), commands);
    return run({"view", sample, "--headless", "--device", "cpu", "--run", "commands.txt"});
  }
};

}  // namespace haloscope::test
