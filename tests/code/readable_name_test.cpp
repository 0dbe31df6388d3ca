#include "code/readable_name.h"

#include <gtest/gtest.h>

namespace hipsight::code {
namespace {

TEST(ReadableNames, are_those_of_the_source) {
  EXPECT_EQ(readable_name("_Z3addPKiS0_Pii"), "add(int const*, int const*, int*, int)");
  EXPECT_EQ(readable_name("_Z4scanILi256EfEvPT0_"), "void scan<256, float>(float*)");
  EXPECT_EQ(readable_name("_Z1fv.cold"), "f() (.cold)");
  for (const char* name : {"plain", "", "_Z", "_Zx", "_Z3add\xff"})
    EXPECT_EQ(readable_name(name), name);
}

TEST(ReadableNames, that_nest_too_deep_stay_as_they_are) {
  for (const char* nest : {"P", "DpF", "1aI", "N1a", "XclL_Z1f"}) {
    std::string name = "_Z1f";
    for (int i = 0; i < 200'000; ++i) name += nest;
    EXPECT_EQ(readable_name(name + "i"), name + "i") << nest;
  }
}

// a<b, b> with b = c<d, d> and so on: two to the power of 30 letters and more.
TEST(ReadableNames, that_unfold_without_end_stay_as_they_are) {
  std::string name = "_Z1f1aIiiE";
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (std::size_t i = 0; i < 30; ++i) {
    const std::string last = std::string("S") + digits[i] + "_";
    name += "S_I" + last + last + "E";
  }
  EXPECT_EQ(readable_name(name), name);
}

}  // namespace
}  // namespace hipsight::code
