#include "runtime/user_object.h"

#include <algorithm>
#include <limits>

#include "runtime/graph/graph.h"
#include "runtime/handles.h"

namespace hipsight::runtime {
namespace {

Handles<hipUserObject_t, UserObject>& objects() {
  static auto& handles = *new Handles<hipUserObject_t, UserObject>(0x1a);
  return handles;
}

__attribute__((no_sanitize("function"))) void release(const std::shared_ptr<UserObject>& object,
                                                      std::size_t count) {
  object->all -= std::min(count, object->all);
  if (object->all || !objects().remove(object->handle)) return;
  object->destroy(object->data);
}

/// Takes up to `count` references from the program, and says how many.
std::size_t take_own(UserObject& object, std::size_t count) {
  const std::size_t taken = std::min(count, object.own);
  object.own -= taken;
  return taken;
}

/// The body of an API function. As in HIP, an object that is gone is left alone, without an error.
template <class Body>
hipError_t with_object(hipUserObject_t handle, unsigned count, Body&& body) {
  return graph_api([&] {
    require(handle && count > 0 && count <= static_cast<unsigned>(std::numeric_limits<int>::max()));
    if (const auto object = objects().find(handle)) body(object);
    return hipSuccess;
  });
}

}  // namespace

UserObjects::UserObjects(const UserObjects& other) : counts_(other.counts_) {
  for (const auto& [object, count] : counts_) object->all += count;
}

UserObjects::~UserObjects() {
  const std::lock_guard lock(graphs_mutex());
  for (const auto& [object, count] : counts_) release(object, count);
}

std::size_t UserObjects::give(const std::shared_ptr<UserObject>& object, std::size_t count) {
  const auto found = counts_.find(object);
  if (found == counts_.end()) return 0;
  const std::size_t given = std::min(count, found->second);
  found->second -= given;
  if (found->second == 0) counts_.erase(found);
  return given;
}

HIP_API hipError_t hipUserObjectCreate(hipUserObject_t* result, void* data, hipHostFn_t destroy,
                                       unsigned references, unsigned flags) {
  return graph_api([&] {
    constexpr unsigned no_destructor_sync = 1;
    require(result && destroy && flags == no_destructor_sync && references > 0 &&
            references <= static_cast<unsigned>(std::numeric_limits<int>::max()));
    const auto object = std::make_shared<UserObject>(
        UserObject{.destroy = destroy, .data = data, .own = references, .all = references});
    *result = object->handle = objects().add(object);
    return hipSuccess;
  });
}

HIP_API hipError_t hipUserObjectRetain(hipUserObject_t handle, unsigned count) {
  return with_object(handle, count, [&](const auto& object) {
    object->own += count;
    object->all += count;
  });
}

HIP_API hipError_t hipUserObjectRelease(hipUserObject_t handle, unsigned count) {
  return with_object(handle, count,
                     [&](const auto& object) { release(object, take_own(*object, count)); });
}

HIP_API hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t handle,
                                            unsigned count, unsigned flags) {
  constexpr unsigned move = 1;  // the program's own references
  if (flags > move) return finish(hipErrorInvalidValue);
  return with_object(handle, count, [&](const auto& object) {
    const auto owner = find_graph(graph);
    const std::size_t moved = flags == move ? take_own(*object, count) : 0;
    object->all += count - moved;
    owner->user_objects.take(object, count);
  });
}

HIP_API hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t handle,
                                             unsigned count) {
  return with_object(handle, count, [&](const auto& object) {
    release(object, find_graph(graph)->user_objects.give(object, count));
  });
}

}  // namespace hipsight::runtime
