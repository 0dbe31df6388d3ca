#pragma once
// Longer computations, in which an error anywhere changes the result.

#include "item.h"

namespace host_test {

DEVICE_TABLE u32 sha_table[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

struct Hashes {
  CASE_NAME("SHA-256, ChaCha20, CRC-32, xoshiro");
  using Input = u64;
  DEVICE static u32 rotated(u32 x, int n) { return x >> n | x << (32 - n); }

  DEVICE static void sha256(const u32 (&block)[16], u32 (&state)[8]) {
    u32 w[16];
    for (int i = 0; i < 16; i++) w[i] = block[i];
    u32 a = state[0], b = state[1], c = state[2], d = state[3];
    u32 e = state[4], f = state[5], g = state[6], h = state[7];
    ROLLED for (int i = 0; i < 64; i++) {
      u32& word = w[i & 15];
      if (i >= 16) {
        const u32 x = w[(i + 1) & 15], y = w[(i + 14) & 15];
        word += (rotated(x, 7) ^ rotated(x, 18) ^ x >> 3) + w[(i + 9) & 15] +
                (rotated(y, 17) ^ rotated(y, 19) ^ y >> 10);
      }
      const u32 t1 = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) +
                     sha_table[i] + word;
      const u32 t2 =
          (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
    }
    const u32 last[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++) state[i] += last[i];
  }
  DEVICE static void quarter(u32& a, u32& b, u32& c, u32& d) {
    a += b, d = rotated(d ^ a, 16);
    c += d, b = rotated(b ^ c, 20);
    a += b, d = rotated(d ^ a, 24);
    c += d, b = rotated(b ^ c, 25);
  }
  DEVICE static u32 crc32(u64 data) {
    u32 crc = ~0u;
    ROLLED for (int i = 0; i < 8; i++, data >>= 8) {
      crc ^= u32(data & 255);
      for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
  }
  DEVICE static void run(u64 a, u64 b, u64 c, u64 d, Out& out) {
    u32 block[16];
    const u64 words[4] = {a, b, c, d};
    for (int i = 0; i < 16; i++) block[i] = u32(words[i / 4] >> (i % 4 * 11)) + u32(i);
    u32 state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    sha256(block, state);
    PUT(state[0] ^ state[1]);
    PUT(state[4]);
    PUT(state[7]);
    for (int round = 0; round < 3; round++) {
      quarter(block[0], block[4], block[8], block[12]);
      quarter(block[1], block[5], block[9], block[13]);
      quarter(block[0], block[5], block[8], block[13]);
    }
    PUT(block[0]);
    PUT(block[5]);
    PUT(crc32(a));
    u64 s0 = a, s1 = b, s2 = c, s3 = d, sum = 0;
    ROLLED for (int i = 0; i < 20; i++) {
      const u64 x = s1 * 5;
      sum += (x << 7 | x >> 57) * 9;
      const u64 t = s1 << 17;
      s2 ^= s0, s3 ^= s1, s1 ^= s2, s0 ^= s3, s2 ^= t;
      s3 = s3 << 45 | s3 >> 19;
    }
    PUT(sum);
  }
};

struct BigNumbers {
  CASE_NAME("products of big numbers, digits");
  using Input = u64;
  DEVICE static void run(u64 a, u64 b, u64 c, u64 d, Out& out) {
    const u32 x[4] = {u32(a), u32(a >> 32), u32(b), u32(b >> 32)};
    const u32 y[4] = {u32(c), u32(c >> 32), u32(d), u32(d >> 32)};
    u32 z[8] = {};
    for (int i = 0; i < 4; i++) {
      u64 carry = 0;
      for (int j = 0; j < 4; j++) {
        carry += u64(x[i]) * y[j] + z[i + j];
        z[i + j] = u32(carry);
        carry >>= 32;
      }
      z[i + 4] = u32(carry);
    }
    for (int i = 0; i < 8; i += 2) PUT(u64(z[i]) | u64(z[i + 1]) << 32);
    // To decimal digits and back.
    u8 digits[20];
    int n = 0;
    for (u64 rest = a; rest || !n; rest /= 10) digits[n++] = u8(rest % 10);
    u64 back = 0;
    for (int i = n - 1; i >= 0; i--) back = back * 10 + digits[i];
    PUT(n);
    PUT(back);
    // a^b mod p.
    const u64 p = 0xffffffffffc5ull >> 16;
    u64 power = 1, base = a % p;
    for (u32 e = u32(b); e; e >>= 1) {
      if (e & 1) power = power * base % p;
      base = base * base % p;
    }
    PUT(power);
  }
};

/// The same in f32 and f64: iterations that leave lanes behind, sums and a small linear system.
template <class T>
struct Numerics {
  CASE_NAME("iterations and linear algebra");
  using Input = i32;
  DEVICE static void run(i32 a, i32 b, i32 c, i32 d, Out& out) {
    const T x = T(a) / T(1 << 30), y = T(b) / T(1 << 30);
    T u = 0, v = 0;
    int n = 0;
    for (; n < 60 && u * u + v * v < T(4); n++) {
      const T t = u * u - v * v + x;
      v = T(2) * u * v + y;
      u = t;
    }
    PUT(n);
    PUT(u);
    PUT(v);
    // Elimination with pivots.
    T m[3][4];
    u32 seed = u32(c);
    for (auto& row : m)
      for (T& value : row) {
        seed = seed * 1664525 + 1013904223;
        value = T(i32(seed)) / T(1 << 28);
      }
    for (int i = 0; i < 3; i++) {
      int pivot = i;
      for (int j = i + 1; j < 3; j++)
        if (__builtin_elementwise_abs(m[j][i]) > __builtin_elementwise_abs(m[pivot][i])) pivot = j;
      for (int k = 0; k < 4; k++) {
        const T t = m[i][k];
        m[i][k] = m[pivot][k];
        m[pivot][k] = t;
      }
      for (int j = 0; j < 3; j++) {
        if (j == i) continue;
        const T factor = m[j][i] / m[i][i];
        for (int k = i; k < 4; k++) m[j][k] -= factor * m[i][k];
      }
    }
    for (int i = 0; i < 3; i++) PUT(m[i][3] / m[i][i]);
    // A compensated sum, which any change of order or contraction would change.
    T sum = 0, lost = 0;
    ROLLED for (int i = 0; i < 32; i++) {
      seed = seed * 1664525 + 1013904223;
      const T term = T(i32(seed)) * x - lost, next = sum + term;
      lost = (next - sum) - term;
      sum = next;
    }
    PUT(sum);
    PUT(lost);
    // Newton's square root.
    T guess = 1;
    const T of = T(u32(d) >> 4);
    ROLLED for (int i = 0; i < 12; i++) guess = (guess + of / guess) * T(0.5);
    PUT(guess);
  }
};

}  // namespace host_test
