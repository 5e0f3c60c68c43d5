#include "analysis/snapshot/tell_sentences.h"

#include "analysis/option_parsing/option_error.h"
#include "core/log.h"
#include "io/loading/selected_snapshot.h"

#include <cstddef>

namespace haloscope::analysis {

Sentences sentences_of_reader(const io::SnapshotReader& reader) {
  Sentences sentences;
  sentences.assumed = sentences_of(reader.info().assumed);
  // What was selected comes behind what was assumed of the whole.
  if (const io::SelectedSnapshot* const selected = io::as_selected(reader)) {
    const auto whole = std::ptrdiff_t(selected->whole().info().assumed.size());
    sentences.told.assign(sentences.assumed.begin() + whole, sentences.assumed.end());
    sentences.assumed.erase(sentences.assumed.begin() + whole, sentences.assumed.end());
  }
  return sentences;
}

void tell_sentences(const Sentences& sentences, bool quiet, const RunContext& context) {
  const auto tell = [&](const std::string& sentence) {
    if (quiet)
      log::warn(with_flags(sentence));
    else
      context.print(with_flags(sentence));
  };
  for (const std::string& sentence : sentences.assumed) tell("assumed: " + sentence);
  for (const std::string& sentence : sentences.told) tell(sentence);
}

}  // namespace haloscope::analysis
