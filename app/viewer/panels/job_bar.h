#pragma once

#include "app/viewer/panels/panel_input.h"

#include <string>

namespace haloscope::app::viewer {

// A job's bar with the button that stops this job alone; nothing where it does not run. Stripes
// move where the job has not said how far it is.
void show_job_bar(const PanelInput& input, session::JobKind kind);

// What it does and how far it is, in so many pixels: the name of what it works on is shortened
// before the count.
std::string job_words(const Worker::Status& job, float width);

// That shows all words of the jobs that run, each as wide as the widest and `least` at least.
float width_of_jobs(const RunningJobs& jobs, float least);

int count_jobs(const RunningJobs& jobs);
// The bars of all jobs that run, beside each other in what is left of the line.
void show_job_bars(const PanelInput& input);

}  // namespace haloscope::app::viewer
