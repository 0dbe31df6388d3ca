#pragma once

/// The public API: gpu.h says how to use it, values.h what comes of it, report.h shows that.
#include "hipsight/conditions.h"
#include "hipsight/expected.h"
#include "hipsight/gpu.h"
#include "hipsight/report.h"
#include "hipsight/report_file.h"
#include "hipsight/values.h"
