#pragma once

#include "engine/engine.h"
#include "profile/trace.h"
#include "timing/compute_unit.h"

/// Changes to what a launch did, as if its kernel had been written in another way.
namespace hipsight::explain {

// On a trace that went through simulate:

/// No two lanes that LDS serves at a time want different dwords of a bank. Atomics stay as they
/// are.
void without_bank_conflicts(profile::LaunchTrace& trace);

/// No two lanes that LDS serves at a time want the same bank for an atomic.
void without_contention(profile::LaunchTrace& trace);

/// Lanes of a wave ask for neighbours: a request touches as few lines as its bytes fill. A
/// workgroup touches as many different ones as before, or what all its bytes fill, if that is less;
/// the others it finds again, where it did before. Atomics stay as they are.
void made_contiguous(profile::LaunchTrace& trace);

/// Nothing goes to scratch memory. The instructions that went there.
timing::Rewrite::Instructions without_scratch(profile::LaunchTrace& trace);

/// Each workgroup's work is done by so many: a part does the begin and the end of what a wave does,
/// and a share of what lies between. False: waves do too little for that.
bool split(profile::LaunchTrace& trace, engine::Result& result, unsigned parts);

/// LDS serves an access in so many times fewer cycles.
void with_faster_lds(profile::LaunchTrace& trace, double by);

/// Bytes that a lane accesses, of a request that `widen` changes; else 0.
unsigned narrow_bytes(const profile::Request& request);

/// Lanes access 16 bytes at a time where they accessed fewer, and adjacent ones adjacent addresses:
/// several executions of an instruction make one request, which has all their lines. Atomics, LDS
/// and copies to LDS stay as they are.
void widen(profile::LaunchTrace& trace, unsigned wave_lanes);

/// Of each stretch of code a workgroup's waves run as often as its active lanes fill waves. What
/// was asked of memory stays.
void regroup_lanes(profile::LaunchTrace& trace, engine::Result& result, unsigned wave_lanes);

}  // namespace hipsight::explain
