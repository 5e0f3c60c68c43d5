#pragma once

#include "analysis/finder.h"
#include "analysis/option_parsing/option_error.h"
#include "app/session/command_table.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace haloscope::app::session {

// `find NAME [KEY=VALUE …]`
Command find_command();

// The line that finds the same, with every option written out.
std::string find_line(const std::string& finder, const analysis::AnyOptions& options);

// The options that a call says from argument `first` on, completed from the snapshot. Throws
// OptionError.
analysis::AnyOptions search_options(const Call& call, std::size_t first,
                                    const analysis::Finder& finder, const SceneFacts& scene);

// A fault of options as a command says it. `words`: what it calls options, where not by their
// names.
Error fault_of_options(const Call& call, const std::string& finder,
                       const analysis::OptionError& error,
                       const std::map<std::string, std::string>& words = {});

// Puts a search into the state and asks for it. Throws Error in the command's words where no search
// can be asked for this, or none of the snapshot that is open. `words`: what the command calls its
// options, where not by their names.
void begin_search(const Call& call, const std::string& finder, const analysis::AnyOptions& options,
                  State& state, SessionActions& actions,
                  const std::map<std::string, std::string>& words = {});

// Throws Error where a finder finds no pieces.
void require_pieces(const Call& call, const std::string& finder);
// Throws Error unless that is a field of what the finder has found.
void require_field(const Call& call, const std::string& finder, const std::string& field,
                   const SessionActions& actions);
// Throws Error unless the finder has searched.
void require_searched(const Call& call, const std::string& finder, const State& state);
// The piece that argument `k` names, or the selected one where it is left out. Throws Error where
// there is none.
std::uint64_t piece_at(const Call& call, std::size_t k, const std::string& finder,
                       const State& state, const SessionActions& actions);
// Brings a place to the middle, with its surroundings.
void fly_to_place(const Call& call, const analysis::PiecePlace& place, State& state,
                  SessionActions& actions);
// Brings the piece to the middle that argument `k` names, or the selected one.
void fly_to_piece(const Call& call, std::size_t k, const std::string& finder, State& state,
                  SessionActions& actions);
// Selects the piece that argument `k` names, or none where it is left out.
void select_piece(const Call& call, std::size_t k, const std::string& finder, State& state,
                  SessionActions& actions);

}  // namespace haloscope::app::session
