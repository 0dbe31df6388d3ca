// As std_headers.h, for tests.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "std_headers.h"
