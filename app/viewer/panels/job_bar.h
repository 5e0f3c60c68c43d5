#pragma once

#include "app/viewer/panels/panel_input.h"

namespace haloscope::app::viewer {

// A job's bar with the button that stops this job alone; nothing where it does not run. `name`: as
// the command `cancel` takes it. Where it has not said how far it is, stripes move.
void show_job_bar(const PanelInput& input, const Worker::Status& job, const char* name);

// Of all jobs that run, beside each other in what is left of the line; their number.
int count_jobs(const RunningJobs& jobs);
void show_job_bars(const PanelInput& input);

}  // namespace haloscope::app::viewer
