#pragma once

#include "app/viewer/panels/panel_input.h"

namespace haloscope::app::viewer {

// A job's bar with the button that stops this job alone; nothing where it does not run. Stripes
// move where the job has not said how far it is.
void show_job_bar(const PanelInput& input, session::JobKind kind);

int count_jobs(const RunningJobs& jobs);
// The bars of all jobs that run, beside each other in what is left of the line.
void show_job_bars(const PanelInput& input);

}  // namespace haloscope::app::viewer
