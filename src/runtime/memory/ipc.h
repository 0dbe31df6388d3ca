#pragma once

namespace hipsight::runtime {

/// Ends the sharing of an allocation that is about to be freed: other processes keep what they have
/// opened, and the addresses are this process's own again.
void end_sharing(void* pointer);

}  // namespace hipsight::runtime
