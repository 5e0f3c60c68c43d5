#pragma once

#include <CLI/CLI.hpp>

namespace haloscope::benchmarks {

// The command of a benchmark of copies of a universe, with the options that all of these have.
template <class Setup>
CLI::App* add_over_gpus(CLI::App& app, const char* help, Setup& setup) {
  CLI::App* const command = app.add_subcommand("over-gpus", help);
  command->add_option("FILE", setup.file, "raw float32 x y z")->required();
  command->add_option("--box", setup.box, "periodic box side")->required();
  command->add_option("--copies", setup.copies, "along each axis, on one device: a power of two");
  command->add_option("--devices", setup.devices, "cuda cuda:1 …; cpu may stand there twice");
  command->add_option("--repeat", setup.repeats, "runs measured");
  command->add_flag("--check", setup.check, "compare with one device, where all fits there");
  return command;
}

}  // namespace haloscope::benchmarks
