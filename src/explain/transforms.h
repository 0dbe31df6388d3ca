#pragma once

#include <cstdint>

#include "engine/engine.h"
#include "profile/trace.h"

/// What a launch would have done, had its kernel been written in another way. Each changes a trace
/// that went through simulate_caches; what the change is worth, the timing model then says.
namespace hipsight::explain {

/// No two lanes that LDS serves at a time want different dwords of a bank.
void without_bank_conflicts(profile::LaunchTrace& trace);

/// Lanes of a wave ask for neighbours: a request touches as few lines as its bytes fill. A
/// workgroup touches as many different ones as before, or what all its bytes fill, if that is less;
/// the others it finds again, where it did before. Atomics stay as they are.
void made_contiguous(profile::LaunchTrace& trace);

/// Nothing goes to scratch memory.
void without_scratch(profile::LaunchTrace& trace);

/// Each workgroup's work is done by so many: a part does the begin and the end of what a wave does,
/// and a share of what lies between. False: waves do too little for that.
bool split(profile::LaunchTrace& trace, engine::Result& result, unsigned parts);

}  // namespace hipsight::explain
