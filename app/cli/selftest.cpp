#include "app/cli/selftest.h"

#include "app/cli/selftest/checks.h"
#include "compute/exec/device.h"
#include "core/timings.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>

namespace haloscope::app::cli {

namespace {

// What stands in place of a result that could not be computed, or is wrong; empty: all is well.
struct Verdict {
  Result result;
  std::string fault;
};

Verdict judge(const Check& check, compute::Device device, const Result* first, Progress& progress) {
  Verdict v;
  try {
    v.result = check.compute(device, progress);
    v.fault = differs_from_stored(check, v.result);
    if (v.fault.empty() && first) v.fault = differs_from_other(check, v.result, *first);
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    // A driver's or the memory's fault on one device; the other checks still say something.
    v.fault = error.what();
  }
  return v;
}

void run_here(bool show_results, analysis::RunContext& context) {
  std::vector<compute::Device> here = compute::devices(), usable;
  // One that is not there is told of, too.
  if (here.size() == 1) here.push_back(compute::Device::cuda());
  for (const compute::Device device : here)
    if (std::string why; compute::is_usable(device, &why))
      usable.push_back(device);
    else
      context.print(fmt::format("left out  {}: {}", device.word(), why));
  run_checks(all_checks(), usable, show_results, context);
}

}  // namespace

void run_checks(const std::vector<Check>& checks, const std::vector<compute::Device>& devices,
                bool show_results, analysis::RunContext& context) {
  std::size_t failed = 0, width = 5;
  for (const compute::Device device : devices) width = std::max(width, device.word().size());
  for (const Check& check : checks) {
    Verdict first;
    for (const compute::Device device : devices) {
      context.progress.report("selftest", double(&check - checks.data()) / double(checks.size()));
      const auto begin = std::chrono::steady_clock::now();
      const bool is_first = device == devices.front();
      Verdict v = judge(check, device, is_first || !first.fault.empty() ? nullptr : &first.result,
                        context.progress);
      const std::chrono::duration<double, std::milli> taken =
          std::chrono::steady_clock::now() - begin;
      const std::string name = fmt::format("{:<{}} {}", device.word(), width, check.name);
      if (v.fault.empty())
        context.print(fmt::format("ok        {} ({:.0f} ms)", name, taken.count()));
      else
        context.print(fmt::format("FAILED    {}: {}", name, v.fault));
      if (show_results) context.print(as_stored(v.result));
      if (!v.fault.empty()) ++failed;
      if (is_first) first = std::move(v);
    }
  }
  const std::size_t all = checks.size() * devices.size();
  if (failed > 0)
    throw CheckFailed(
        fmt::format("{} of {} checks failed; do not trust this program's results on this machine",
                    failed, all));
  context.print(fmt::format("all {} checks are as they should be", all));
}

void add_selftest_command(CLI::App& app, analysis::RunContext& context,
                          std::function<void()>& run) {
  CLI::App* command = app.add_subcommand(
      "selftest", "Check on this machine that pictures and searches come out right");
  command->footer(
      "Draws and searches 20,000 particles that it makes itself, on each device that is there, and "
      "compares what comes out with stored results and between devices. The exit code is 1 where "
      "a check fails.");
  auto show_results = std::make_shared<bool>(false);
  // Hidden: for whoever changes a result on purpose and has to store the new one.
  command->add_flag("--show-results", *show_results)->group("");
  command->callback([show_results, &context, &run] {
    run = [show_results, &context] { run_here(*show_results, context); };
  });
}

}  // namespace haloscope::app::cli
