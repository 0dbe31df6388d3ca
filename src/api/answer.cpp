#include "api/answer.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "engine/engine.h"
#include "support/error.h"

namespace hipsight::api {
namespace {

Error::Kind kind_of(engine::KernelError::Kind kind) {
  using Kind = engine::KernelError::Kind;
  switch (kind) {
    case Kind::UnknownInstruction:
      return Error::Kind::UnknownInstruction;
    case Kind::MemoryAccess:
      return Error::Kind::MemoryAccess;
    case Kind::Timeout:
      return Error::Kind::Timeout;
    case Kind::Trap:
      return Error::Kind::Trap;
    case Kind::InvalidLaunch:
      return Error::Kind::InvalidLaunch;
    case Kind::Deadlock:
      return Error::Kind::Deadlock;
  }
  return Error::Kind::Internal;
}

Error current_error(Error::Kind kind, const std::string& place) {
  try {
    throw;
  } catch (const Failure& failure) {
    return failure.error;
  } catch (const engine::KernelError& error) {
    return {kind_of(error.kind), place, error.what()};
  } catch (const Exception& error) {
    return {kind, place, error.what()};
  } catch (const std::bad_alloc&) {
    return {Error::Kind::OutOfMemory, place, place + ": out of memory"};
  } catch (const std::exception& error) {
    return {Error::Kind::Internal, place, error.what()};
  } catch (...) {
    return {Error::Kind::Internal, place, place + ": a fault of hipsight"};
  }
}

}  // namespace

HipsightAnswer answer(bool failed, const wire::Writer& writer) noexcept {
  const std::size_t size = writer.bytes().size();
  auto* const bytes = static_cast<std::byte*>(std::malloc(size ? size : 1));
  if (!bytes) return {true, 0, nullptr};  // an Error as it is by default: Internal
  std::memcpy(bytes, writer.bytes().data(), size);
  return {failed, size, bytes};
}

HipsightAnswer answer_of_exception(Error::Kind kind, const std::string& place) noexcept {
  try {
    wire::Writer writer;
    writer.put(current_error(kind, place));
    return answer(true, writer);
  } catch (...) {
    return {true, 0, nullptr};
  }
}

}  // namespace hipsight::api
