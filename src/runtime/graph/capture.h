#pragma once

#include <memory>
#include <vector>

#include "runtime/graph/graph.h"

namespace hipsight::runtime {

class Stream;
struct Capture;

/// A place in a capture: what an event records in a stream that captures.
struct CapturedPoint {
  std::shared_ptr<Capture> capture;
  std::vector<Node*> nodes;
};

/// Whether work that is submitted to a stream becomes nodes of a graph.
bool is_capturing(const Stream& stream);

/// Whether a stream captures into this graph.
bool is_captured_into(const Graph& graph);

/// Makes work a node of the graph that the stream captures into, after the last ones. Null when the
/// stream does not capture. @throws Failure when the capture is invalid, or becomes so: by work
/// that cannot be a node, or by work of the null stream, which would wait for a capturing stream.
Node* capture(const Stream& stream, Work work);
Node* capture(const Stream& stream, const Operation& operation);

/// For calls that wait for a stream, or look at its work. @throws Failure, and ends the capture,
/// when it captures.
void require_no_capture(const Stream& stream);
/// For calls that wait for a device or allocate at once: forbidden while a capture goes on that
/// this thread must not disturb (hipThreadExchangeStreamCaptureMode).
void require_no_capture();
/// For calls that wait for a device. @throws Failure, and ends them, when streams of it capture.
void require_no_capture_on(int device);

/// Where a stream is in its capture; no capture when it does not capture.
CapturedPoint captured_point(const Stream& stream);
/// What is submitted to the stream from now on comes after that point as well; the stream joins its
/// capture. @throws Failure when the stream is in another one, or the capture has ended.
void join_capture(const std::shared_ptr<Stream>& stream, const CapturedPoint& point);
/// Makes a capture invalid: only hipStreamEndCapture may follow.
void invalidate(const CapturedPoint& point);
/// Drops the capture that a stream began: the stream is destroyed, so nobody can end it.
void abandon_capture(const Stream& stream);

}  // namespace hipsight::runtime
