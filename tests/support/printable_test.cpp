#include "support/printable.h"

#include <gtest/gtest.h>

namespace hipsight {
namespace {

TEST(Printable, text_stays_as_it_is) {
  for (const char* text : {"", "void f<int>(float*)", "Größe – 大小 🙂", "a\\b"})
    EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable("a\nb", true), "a\nb");
}

TEST(Printable, controls_are_spelled_out) {
  EXPECT_EQ(printable("a\x1b[2Jb\x7f\n\r"), "a\\x1b[2Jb\\x7f\\x0a\\x0d");
  EXPECT_EQ(printable("\r\n", true), "\\x0d\n");
  EXPECT_EQ(printable("\xc2\x9b"), "\\u{9b}");        // a terminal's other CSI
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\u{202e}");  // writes from right to left
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, what_is_no_utf8_is_spelled_out) {
  EXPECT_EQ(printable("k\xff\xfe"), "k\\xff\\xfe");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");           // cut short
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // too long a form of '/'
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half a surrogate pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_TRUE(is_utf8("Größe"));
  EXPECT_FALSE(
      is_utf8("Gr\xf6\xdf"
              "e"));
}

}  // namespace
}  // namespace hipsight
