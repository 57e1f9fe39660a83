// check: --kernel video --block 64 --arg 'unsigned[64]=random' --arg 'unsigned[1]'
// Video instructions of inline PTX compute what the PTX manual says: words, halves and bytes, saturated, merged, added up.
#include <cassert>

enum Op { ADD, SUB, ABSDIFF, MIN, MAX, AVRG, SHL, SHR, EQ, NE, LT, LE, GT, GE };

__device__ long long field(unsigned word, int first, int width, bool sign) {
  long long value = (word >> first) & (width == 32 ? 0xFFFFFFFFu : (1u << width) - 1);
  if (sign && value >= 1ll << (width - 1)) value -= 1ll << width;
  return value;
}

__device__ long long clamped(long long value, int width, bool sign) {
  const long long low = sign ? -(1ll << (width - 1)) : 0, high = sign ? (1ll << (width - 1)) - 1 : (1ll << width) - 1;
  return value < low ? low : value > high ? high : value;
}

__device__ long long done(int op, long long a, long long b) {
  switch (op) {
    case ADD: return a + b;
    case SUB: return a - b;
    case ABSDIFF: return a - b < 0 ? b - a : a - b;
    case MIN: return a < b ? a : b;
    case MAX: return a > b ? a : b;
    case AVRG: return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case EQ: return a == b;
    case NE: return a != b;
    case LT: return a < b;
    case LE: return a <= b;
    case GT: return a > b;
    default: return a >= b;
  }
}

// All lanes of a word: selectors and mask as in the instruction, their last digit for the lowest lane.
__device__ unsigned lanes(int count, int op, bool as, bool bs, bool ds, bool sat, bool add, unsigned mask, unsigned asel, unsigned bsel,
                          unsigned a, unsigned b, unsigned c) {
  const int width = 32 / count;
  const unsigned long long both = static_cast<unsigned long long>(b) << 32 | a;
  unsigned d = add ? c : 0;
  for (int i = 0; i < count; ++i) {
    const unsigned va = static_cast<unsigned>(both >> (width * ((asel >> (4 * i)) & 7))), vb = static_cast<unsigned>(both >> (width * ((bsel >> (4 * i)) & 7)));
    long long t = done(op, field(va, 0, width, as), field(vb, 0, width, bs));
    if (sat) t = clamped(t, width, ds);
    const bool chosen = (mask >> i) & 1;
    if (add) d += chosen ? static_cast<unsigned>(t) : 0;
    else d |= static_cast<unsigned>(field(chosen ? static_cast<unsigned>(t) : c >> (width * i), 0, width, false)) << (width * i);
  }
  return d;
}

#define FOUR(text, ...) \
  asm(text " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); \
  assert(r == (__VA_ARGS__))
// Plain, saturated and added up; and comparisons, plain and added up.
#define s32 true
#define u32 false
#define SEL_A(n) ((n) == 2 ? 0x10 : 0x3210)
#define SEL_B(n) ((n) == 2 ? 0x32 : 0x7654)
#define LANES(n, op, d, x, y, sat, add) lanes(n, op, x, y, d, sat, add, (1 << (n)) - 1, SEL_A(n), SEL_B(n), a, b, c)
#define THRICE(name, n, op, d, x, y)                                              \
  FOUR(name #n "." #d "." #x "." #y, LANES(n, op, d, x, y, false, false));        \
  FOUR(name #n "." #d "." #x "." #y ".sat", LANES(n, op, d, x, y, true, false));  \
  FOUR(name #n "." #d "." #x "." #y ".add", LANES(n, op, d, x, y, false, true))
#define TWICE(n, op, relation, x)                                                            \
  FOUR("vset" #n "." #x "." #x "." relation, LANES(n, op, false, x, x, false, false));       \
  FOUR("vset" #n "." #x "." #x "." relation ".add", LANES(n, op, false, x, x, false, true))
#define CHOSEN(text, d, x, y, ...) \
  asm(text " %0" d ", %1" x ", %2" y ", %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); \
  assert(r == (__VA_ARGS__))
#define THREE(text, x, y, ...) \
  asm(text " %0, %1" x ", %2" y ";" : "=r"(r) : "r"(a), "r"(b)); \
  assert(r == static_cast<unsigned>(__VA_ARGS__))

__global__ void video(const unsigned* input, unsigned* sum) {
  const unsigned i = threadIdx.x, a = input[i] * 2654435761u + i * 0x01030507u, b = input[63 - i] * 40503u ^ (i << 24), c = input[i ^ 5] * 977u + (i & 1) * 0x80000000u;
  unsigned r;
  THRICE("vadd", 2, ADD, u32, u32, u32);
  THRICE("vadd", 2, ADD, s32, s32, s32);
  THRICE("vadd", 2, ADD, s32, u32, s32);
  THRICE("vsub", 2, SUB, u32, u32, u32);
  THRICE("vsub", 2, SUB, s32, s32, s32);
  THRICE("vsub", 2, SUB, s32, u32, s32);
  THRICE("vabsdiff", 2, ABSDIFF, u32, u32, u32);
  THRICE("vabsdiff", 2, ABSDIFF, s32, s32, s32);
  THRICE("vabsdiff", 2, ABSDIFF, s32, u32, s32);
  THRICE("vmin", 2, MIN, u32, u32, u32);
  THRICE("vmin", 2, MIN, s32, s32, s32);
  THRICE("vmin", 2, MIN, s32, u32, s32);
  THRICE("vmax", 2, MAX, u32, u32, u32);
  THRICE("vmax", 2, MAX, s32, s32, s32);
  THRICE("vmax", 2, MAX, s32, u32, s32);
  THRICE("vavrg", 2, AVRG, u32, u32, u32);
  THRICE("vavrg", 2, AVRG, s32, s32, s32);
  THRICE("vavrg", 2, AVRG, s32, u32, s32);
  TWICE(2, EQ, "eq", u32);
  TWICE(2, EQ, "eq", s32);
  TWICE(2, NE, "ne", u32);
  TWICE(2, NE, "ne", s32);
  TWICE(2, LT, "lt", u32);
  TWICE(2, LT, "lt", s32);
  TWICE(2, LE, "le", u32);
  TWICE(2, LE, "le", s32);
  TWICE(2, GT, "gt", u32);
  TWICE(2, GT, "gt", s32);
  TWICE(2, GE, "ge", u32);
  TWICE(2, GE, "ge", s32);
  THRICE("vadd", 4, ADD, u32, u32, u32);
  THRICE("vadd", 4, ADD, s32, s32, s32);
  THRICE("vadd", 4, ADD, s32, u32, s32);
  THRICE("vsub", 4, SUB, u32, u32, u32);
  THRICE("vsub", 4, SUB, s32, s32, s32);
  THRICE("vsub", 4, SUB, s32, u32, s32);
  THRICE("vabsdiff", 4, ABSDIFF, u32, u32, u32);
  THRICE("vabsdiff", 4, ABSDIFF, s32, s32, s32);
  THRICE("vabsdiff", 4, ABSDIFF, s32, u32, s32);
  THRICE("vmin", 4, MIN, u32, u32, u32);
  THRICE("vmin", 4, MIN, s32, s32, s32);
  THRICE("vmin", 4, MIN, s32, u32, s32);
  THRICE("vmax", 4, MAX, u32, u32, u32);
  THRICE("vmax", 4, MAX, s32, s32, s32);
  THRICE("vmax", 4, MAX, s32, u32, s32);
  THRICE("vavrg", 4, AVRG, u32, u32, u32);
  THRICE("vavrg", 4, AVRG, s32, s32, s32);
  THRICE("vavrg", 4, AVRG, s32, u32, s32);
  TWICE(4, EQ, "eq", u32);
  TWICE(4, EQ, "eq", s32);
  TWICE(4, NE, "ne", u32);
  TWICE(4, NE, "ne", s32);
  TWICE(4, LT, "lt", u32);
  TWICE(4, LT, "lt", s32);
  TWICE(4, LE, "le", u32);
  TWICE(4, LE, "le", s32);
  TWICE(4, GT, "gt", u32);
  TWICE(4, GT, "gt", s32);
  TWICE(4, GE, "ge", u32);
  TWICE(4, GE, "ge", s32);
  CHOSEN("vadd2.s32.s32.u32.sat", ".h1", ".h03", ".h21", lanes(2, ADD, true, false, true, true, false, 2, 0x03, 0x21, a, b, c));
  CHOSEN("vsub4.u32.u32.u32", ".b31", ".b7070", ".b1234", lanes(4, SUB, false, false, false, false, false, 10, 0x7070, 0x1234, a, b, c));
  CHOSEN("vabsdiff4.u32.u32.u32.add", ".b210", ".b3210", ".b7654", lanes(4, ABSDIFF, false, false, false, false, true, 7, 0x3210, 0x7654, a, b, c));

  THREE("vadd.u32.u32.u32", "", ".h1", done(ADD, field(a, 0, 32, false), field(b, 16, 16, false)));
  THREE("vadd.u32.u32.u32.sat", "", ".h1", clamped(done(ADD, field(a, 0, 32, false), field(b, 16, 16, false)), 32, false));
  CHOSEN("vadd.u32.u32.u32.sat.add", "", "", ".h1", static_cast<unsigned>(done(ADD, clamped(done(ADD, field(a, 0, 32, false), field(b, 16, 16, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vadd.u32.u32.u32.sat.min", "", "", ".h1", static_cast<unsigned>(done(MIN, clamped(done(ADD, field(a, 0, 32, false), field(b, 16, 16, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vadd.u32.u32.u32.sat.max", "", "", ".h1", static_cast<unsigned>(done(MAX, clamped(done(ADD, field(a, 0, 32, false), field(b, 16, 16, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vadd.u32.u32.u32.sat", ".b2", "", ".h1", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(ADD, field(a, 0, 32, false), field(b, 16, 16, false)), 8, false)) & 0xFF) << 16);
  CHOSEN("vadd.u32.u32.u32", ".h1", "", ".h1", (c & 0xFFFFu) | static_cast<unsigned>(done(ADD, field(a, 0, 32, false), field(b, 16, 16, false))) << 16);
  THREE("vadd.s32.s32.u32", "", ".h1", done(ADD, field(a, 0, 32, true), field(b, 16, 16, false)));
  THREE("vadd.s32.s32.u32.sat", "", ".h1", clamped(done(ADD, field(a, 0, 32, true), field(b, 16, 16, false)), 32, true));
  CHOSEN("vadd.s32.s32.u32.sat.add", "", "", ".h1", static_cast<unsigned>(done(ADD, clamped(done(ADD, field(a, 0, 32, true), field(b, 16, 16, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vadd.s32.s32.u32.sat.min", "", "", ".h1", static_cast<unsigned>(done(MIN, clamped(done(ADD, field(a, 0, 32, true), field(b, 16, 16, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vadd.s32.s32.u32.sat.max", "", "", ".h1", static_cast<unsigned>(done(MAX, clamped(done(ADD, field(a, 0, 32, true), field(b, 16, 16, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vadd.s32.s32.u32.sat", ".b2", "", ".h1", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(ADD, field(a, 0, 32, true), field(b, 16, 16, false)), 8, true)) & 0xFF) << 16);
  CHOSEN("vadd.s32.s32.u32", ".h1", "", ".h1", (c & 0xFFFFu) | static_cast<unsigned>(done(ADD, field(a, 0, 32, true), field(b, 16, 16, false))) << 16);
  THREE("vadd.s32.s32.s32", "", ".h1", done(ADD, field(a, 0, 32, true), field(b, 16, 16, true)));
  THREE("vadd.s32.s32.s32.sat", "", ".h1", clamped(done(ADD, field(a, 0, 32, true), field(b, 16, 16, true)), 32, true));
  CHOSEN("vadd.s32.s32.s32.sat.add", "", "", ".h1", static_cast<unsigned>(done(ADD, clamped(done(ADD, field(a, 0, 32, true), field(b, 16, 16, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vadd.s32.s32.s32.sat.min", "", "", ".h1", static_cast<unsigned>(done(MIN, clamped(done(ADD, field(a, 0, 32, true), field(b, 16, 16, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vadd.s32.s32.s32.sat.max", "", "", ".h1", static_cast<unsigned>(done(MAX, clamped(done(ADD, field(a, 0, 32, true), field(b, 16, 16, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vadd.s32.s32.s32.sat", ".b2", "", ".h1", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(ADD, field(a, 0, 32, true), field(b, 16, 16, true)), 8, true)) & 0xFF) << 16);
  CHOSEN("vadd.s32.s32.s32", ".h1", "", ".h1", (c & 0xFFFFu) | static_cast<unsigned>(done(ADD, field(a, 0, 32, true), field(b, 16, 16, true))) << 16);
  THREE("vsub.u32.u32.u32", ".b0", ".h0", done(SUB, field(a, 0, 8, false), field(b, 0, 16, false)));
  THREE("vsub.u32.u32.u32.sat", ".b0", ".h0", clamped(done(SUB, field(a, 0, 8, false), field(b, 0, 16, false)), 32, false));
  CHOSEN("vsub.u32.u32.u32.sat.add", "", ".b0", ".h0", static_cast<unsigned>(done(ADD, clamped(done(SUB, field(a, 0, 8, false), field(b, 0, 16, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vsub.u32.u32.u32.sat.min", "", ".b0", ".h0", static_cast<unsigned>(done(MIN, clamped(done(SUB, field(a, 0, 8, false), field(b, 0, 16, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vsub.u32.u32.u32.sat.max", "", ".b0", ".h0", static_cast<unsigned>(done(MAX, clamped(done(SUB, field(a, 0, 8, false), field(b, 0, 16, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vsub.u32.u32.u32.sat", ".b2", ".b0", ".h0", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(SUB, field(a, 0, 8, false), field(b, 0, 16, false)), 8, false)) & 0xFF) << 16);
  CHOSEN("vsub.u32.u32.u32", ".h1", ".b0", ".h0", (c & 0xFFFFu) | static_cast<unsigned>(done(SUB, field(a, 0, 8, false), field(b, 0, 16, false))) << 16);
  THREE("vsub.s32.s32.u32", ".b0", ".h0", done(SUB, field(a, 0, 8, true), field(b, 0, 16, false)));
  THREE("vsub.s32.s32.u32.sat", ".b0", ".h0", clamped(done(SUB, field(a, 0, 8, true), field(b, 0, 16, false)), 32, true));
  CHOSEN("vsub.s32.s32.u32.sat.add", "", ".b0", ".h0", static_cast<unsigned>(done(ADD, clamped(done(SUB, field(a, 0, 8, true), field(b, 0, 16, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vsub.s32.s32.u32.sat.min", "", ".b0", ".h0", static_cast<unsigned>(done(MIN, clamped(done(SUB, field(a, 0, 8, true), field(b, 0, 16, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vsub.s32.s32.u32.sat.max", "", ".b0", ".h0", static_cast<unsigned>(done(MAX, clamped(done(SUB, field(a, 0, 8, true), field(b, 0, 16, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vsub.s32.s32.u32.sat", ".b2", ".b0", ".h0", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(SUB, field(a, 0, 8, true), field(b, 0, 16, false)), 8, true)) & 0xFF) << 16);
  CHOSEN("vsub.s32.s32.u32", ".h1", ".b0", ".h0", (c & 0xFFFFu) | static_cast<unsigned>(done(SUB, field(a, 0, 8, true), field(b, 0, 16, false))) << 16);
  THREE("vsub.s32.s32.s32", ".b0", ".h0", done(SUB, field(a, 0, 8, true), field(b, 0, 16, true)));
  THREE("vsub.s32.s32.s32.sat", ".b0", ".h0", clamped(done(SUB, field(a, 0, 8, true), field(b, 0, 16, true)), 32, true));
  CHOSEN("vsub.s32.s32.s32.sat.add", "", ".b0", ".h0", static_cast<unsigned>(done(ADD, clamped(done(SUB, field(a, 0, 8, true), field(b, 0, 16, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vsub.s32.s32.s32.sat.min", "", ".b0", ".h0", static_cast<unsigned>(done(MIN, clamped(done(SUB, field(a, 0, 8, true), field(b, 0, 16, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vsub.s32.s32.s32.sat.max", "", ".b0", ".h0", static_cast<unsigned>(done(MAX, clamped(done(SUB, field(a, 0, 8, true), field(b, 0, 16, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vsub.s32.s32.s32.sat", ".b2", ".b0", ".h0", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(SUB, field(a, 0, 8, true), field(b, 0, 16, true)), 8, true)) & 0xFF) << 16);
  CHOSEN("vsub.s32.s32.s32", ".h1", ".b0", ".h0", (c & 0xFFFFu) | static_cast<unsigned>(done(SUB, field(a, 0, 8, true), field(b, 0, 16, true))) << 16);
  THREE("vabsdiff.u32.u32.u32", ".b1", ".b3", done(ABSDIFF, field(a, 8, 8, false), field(b, 24, 8, false)));
  THREE("vabsdiff.u32.u32.u32.sat", ".b1", ".b3", clamped(done(ABSDIFF, field(a, 8, 8, false), field(b, 24, 8, false)), 32, false));
  CHOSEN("vabsdiff.u32.u32.u32.sat.add", "", ".b1", ".b3", static_cast<unsigned>(done(ADD, clamped(done(ABSDIFF, field(a, 8, 8, false), field(b, 24, 8, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vabsdiff.u32.u32.u32.sat.min", "", ".b1", ".b3", static_cast<unsigned>(done(MIN, clamped(done(ABSDIFF, field(a, 8, 8, false), field(b, 24, 8, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vabsdiff.u32.u32.u32.sat.max", "", ".b1", ".b3", static_cast<unsigned>(done(MAX, clamped(done(ABSDIFF, field(a, 8, 8, false), field(b, 24, 8, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vabsdiff.u32.u32.u32.sat", ".b2", ".b1", ".b3", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(ABSDIFF, field(a, 8, 8, false), field(b, 24, 8, false)), 8, false)) & 0xFF) << 16);
  CHOSEN("vabsdiff.u32.u32.u32", ".h1", ".b1", ".b3", (c & 0xFFFFu) | static_cast<unsigned>(done(ABSDIFF, field(a, 8, 8, false), field(b, 24, 8, false))) << 16);
  THREE("vabsdiff.s32.s32.u32", ".b1", ".b3", done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, false)));
  THREE("vabsdiff.s32.s32.u32.sat", ".b1", ".b3", clamped(done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, false)), 32, true));
  CHOSEN("vabsdiff.s32.s32.u32.sat.add", "", ".b1", ".b3", static_cast<unsigned>(done(ADD, clamped(done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vabsdiff.s32.s32.u32.sat.min", "", ".b1", ".b3", static_cast<unsigned>(done(MIN, clamped(done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vabsdiff.s32.s32.u32.sat.max", "", ".b1", ".b3", static_cast<unsigned>(done(MAX, clamped(done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vabsdiff.s32.s32.u32.sat", ".b2", ".b1", ".b3", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, false)), 8, true)) & 0xFF) << 16);
  CHOSEN("vabsdiff.s32.s32.u32", ".h1", ".b1", ".b3", (c & 0xFFFFu) | static_cast<unsigned>(done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, false))) << 16);
  THREE("vabsdiff.s32.s32.s32", ".b1", ".b3", done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, true)));
  THREE("vabsdiff.s32.s32.s32.sat", ".b1", ".b3", clamped(done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, true)), 32, true));
  CHOSEN("vabsdiff.s32.s32.s32.sat.add", "", ".b1", ".b3", static_cast<unsigned>(done(ADD, clamped(done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vabsdiff.s32.s32.s32.sat.min", "", ".b1", ".b3", static_cast<unsigned>(done(MIN, clamped(done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vabsdiff.s32.s32.s32.sat.max", "", ".b1", ".b3", static_cast<unsigned>(done(MAX, clamped(done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vabsdiff.s32.s32.s32.sat", ".b2", ".b1", ".b3", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, true)), 8, true)) & 0xFF) << 16);
  CHOSEN("vabsdiff.s32.s32.s32", ".h1", ".b1", ".b3", (c & 0xFFFFu) | static_cast<unsigned>(done(ABSDIFF, field(a, 8, 8, true), field(b, 24, 8, true))) << 16);
  THREE("vmin.u32.u32.u32", ".b2", ".b2", done(MIN, field(a, 16, 8, false), field(b, 16, 8, false)));
  THREE("vmin.u32.u32.u32.sat", ".b2", ".b2", clamped(done(MIN, field(a, 16, 8, false), field(b, 16, 8, false)), 32, false));
  CHOSEN("vmin.u32.u32.u32.sat.add", "", ".b2", ".b2", static_cast<unsigned>(done(ADD, clamped(done(MIN, field(a, 16, 8, false), field(b, 16, 8, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vmin.u32.u32.u32.sat.min", "", ".b2", ".b2", static_cast<unsigned>(done(MIN, clamped(done(MIN, field(a, 16, 8, false), field(b, 16, 8, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vmin.u32.u32.u32.sat.max", "", ".b2", ".b2", static_cast<unsigned>(done(MAX, clamped(done(MIN, field(a, 16, 8, false), field(b, 16, 8, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vmin.u32.u32.u32.sat", ".b2", ".b2", ".b2", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(MIN, field(a, 16, 8, false), field(b, 16, 8, false)), 8, false)) & 0xFF) << 16);
  CHOSEN("vmin.u32.u32.u32", ".h1", ".b2", ".b2", (c & 0xFFFFu) | static_cast<unsigned>(done(MIN, field(a, 16, 8, false), field(b, 16, 8, false))) << 16);
  THREE("vmin.s32.s32.u32", ".b2", ".b2", done(MIN, field(a, 16, 8, true), field(b, 16, 8, false)));
  THREE("vmin.s32.s32.u32.sat", ".b2", ".b2", clamped(done(MIN, field(a, 16, 8, true), field(b, 16, 8, false)), 32, true));
  CHOSEN("vmin.s32.s32.u32.sat.add", "", ".b2", ".b2", static_cast<unsigned>(done(ADD, clamped(done(MIN, field(a, 16, 8, true), field(b, 16, 8, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vmin.s32.s32.u32.sat.min", "", ".b2", ".b2", static_cast<unsigned>(done(MIN, clamped(done(MIN, field(a, 16, 8, true), field(b, 16, 8, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vmin.s32.s32.u32.sat.max", "", ".b2", ".b2", static_cast<unsigned>(done(MAX, clamped(done(MIN, field(a, 16, 8, true), field(b, 16, 8, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vmin.s32.s32.u32.sat", ".b2", ".b2", ".b2", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(MIN, field(a, 16, 8, true), field(b, 16, 8, false)), 8, true)) & 0xFF) << 16);
  CHOSEN("vmin.s32.s32.u32", ".h1", ".b2", ".b2", (c & 0xFFFFu) | static_cast<unsigned>(done(MIN, field(a, 16, 8, true), field(b, 16, 8, false))) << 16);
  THREE("vmin.s32.s32.s32", ".b2", ".b2", done(MIN, field(a, 16, 8, true), field(b, 16, 8, true)));
  THREE("vmin.s32.s32.s32.sat", ".b2", ".b2", clamped(done(MIN, field(a, 16, 8, true), field(b, 16, 8, true)), 32, true));
  CHOSEN("vmin.s32.s32.s32.sat.add", "", ".b2", ".b2", static_cast<unsigned>(done(ADD, clamped(done(MIN, field(a, 16, 8, true), field(b, 16, 8, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vmin.s32.s32.s32.sat.min", "", ".b2", ".b2", static_cast<unsigned>(done(MIN, clamped(done(MIN, field(a, 16, 8, true), field(b, 16, 8, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vmin.s32.s32.s32.sat.max", "", ".b2", ".b2", static_cast<unsigned>(done(MAX, clamped(done(MIN, field(a, 16, 8, true), field(b, 16, 8, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vmin.s32.s32.s32.sat", ".b2", ".b2", ".b2", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(MIN, field(a, 16, 8, true), field(b, 16, 8, true)), 8, true)) & 0xFF) << 16);
  CHOSEN("vmin.s32.s32.s32", ".h1", ".b2", ".b2", (c & 0xFFFFu) | static_cast<unsigned>(done(MIN, field(a, 16, 8, true), field(b, 16, 8, true))) << 16);
  THREE("vmax.u32.u32.u32", ".b3", ".b1", done(MAX, field(a, 24, 8, false), field(b, 8, 8, false)));
  THREE("vmax.u32.u32.u32.sat", ".b3", ".b1", clamped(done(MAX, field(a, 24, 8, false), field(b, 8, 8, false)), 32, false));
  CHOSEN("vmax.u32.u32.u32.sat.add", "", ".b3", ".b1", static_cast<unsigned>(done(ADD, clamped(done(MAX, field(a, 24, 8, false), field(b, 8, 8, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vmax.u32.u32.u32.sat.min", "", ".b3", ".b1", static_cast<unsigned>(done(MIN, clamped(done(MAX, field(a, 24, 8, false), field(b, 8, 8, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vmax.u32.u32.u32.sat.max", "", ".b3", ".b1", static_cast<unsigned>(done(MAX, clamped(done(MAX, field(a, 24, 8, false), field(b, 8, 8, false)), 32, false), field(c, 0, 32, false))));
  CHOSEN("vmax.u32.u32.u32.sat", ".b2", ".b3", ".b1", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(MAX, field(a, 24, 8, false), field(b, 8, 8, false)), 8, false)) & 0xFF) << 16);
  CHOSEN("vmax.u32.u32.u32", ".h1", ".b3", ".b1", (c & 0xFFFFu) | static_cast<unsigned>(done(MAX, field(a, 24, 8, false), field(b, 8, 8, false))) << 16);
  THREE("vmax.s32.s32.u32", ".b3", ".b1", done(MAX, field(a, 24, 8, true), field(b, 8, 8, false)));
  THREE("vmax.s32.s32.u32.sat", ".b3", ".b1", clamped(done(MAX, field(a, 24, 8, true), field(b, 8, 8, false)), 32, true));
  CHOSEN("vmax.s32.s32.u32.sat.add", "", ".b3", ".b1", static_cast<unsigned>(done(ADD, clamped(done(MAX, field(a, 24, 8, true), field(b, 8, 8, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vmax.s32.s32.u32.sat.min", "", ".b3", ".b1", static_cast<unsigned>(done(MIN, clamped(done(MAX, field(a, 24, 8, true), field(b, 8, 8, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vmax.s32.s32.u32.sat.max", "", ".b3", ".b1", static_cast<unsigned>(done(MAX, clamped(done(MAX, field(a, 24, 8, true), field(b, 8, 8, false)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vmax.s32.s32.u32.sat", ".b2", ".b3", ".b1", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(MAX, field(a, 24, 8, true), field(b, 8, 8, false)), 8, true)) & 0xFF) << 16);
  CHOSEN("vmax.s32.s32.u32", ".h1", ".b3", ".b1", (c & 0xFFFFu) | static_cast<unsigned>(done(MAX, field(a, 24, 8, true), field(b, 8, 8, false))) << 16);
  THREE("vmax.s32.s32.s32", ".b3", ".b1", done(MAX, field(a, 24, 8, true), field(b, 8, 8, true)));
  THREE("vmax.s32.s32.s32.sat", ".b3", ".b1", clamped(done(MAX, field(a, 24, 8, true), field(b, 8, 8, true)), 32, true));
  CHOSEN("vmax.s32.s32.s32.sat.add", "", ".b3", ".b1", static_cast<unsigned>(done(ADD, clamped(done(MAX, field(a, 24, 8, true), field(b, 8, 8, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vmax.s32.s32.s32.sat.min", "", ".b3", ".b1", static_cast<unsigned>(done(MIN, clamped(done(MAX, field(a, 24, 8, true), field(b, 8, 8, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vmax.s32.s32.s32.sat.max", "", ".b3", ".b1", static_cast<unsigned>(done(MAX, clamped(done(MAX, field(a, 24, 8, true), field(b, 8, 8, true)), 32, true), field(c, 0, 32, true))));
  CHOSEN("vmax.s32.s32.s32.sat", ".b2", ".b3", ".b1", (c & 0xFF00FFFFu) | (static_cast<unsigned>(clamped(done(MAX, field(a, 24, 8, true), field(b, 8, 8, true)), 8, true)) & 0xFF) << 16);
  CHOSEN("vmax.s32.s32.s32", ".h1", ".b3", ".b1", (c & 0xFFFFu) | static_cast<unsigned>(done(MAX, field(a, 24, 8, true), field(b, 8, 8, true))) << 16);
  THREE("vset.s32.u32.eq", ".h1", ".b1", done(EQ, field(a, 16, 16, true), field(b, 8, 8, false)));
  CHOSEN("vset.s32.u32.eq.max", "", ".h1", ".b1", done(MAX, done(EQ, field(a, 16, 16, true), field(b, 8, 8, false)), c));
  THREE("vset.s32.u32.ne", ".h1", ".b1", done(NE, field(a, 16, 16, true), field(b, 8, 8, false)));
  CHOSEN("vset.s32.u32.ne.max", "", ".h1", ".b1", done(MAX, done(NE, field(a, 16, 16, true), field(b, 8, 8, false)), c));
  THREE("vset.s32.u32.lt", ".h1", ".b1", done(LT, field(a, 16, 16, true), field(b, 8, 8, false)));
  CHOSEN("vset.s32.u32.lt.max", "", ".h1", ".b1", done(MAX, done(LT, field(a, 16, 16, true), field(b, 8, 8, false)), c));
  THREE("vset.s32.u32.le", ".h1", ".b1", done(LE, field(a, 16, 16, true), field(b, 8, 8, false)));
  CHOSEN("vset.s32.u32.le.max", "", ".h1", ".b1", done(MAX, done(LE, field(a, 16, 16, true), field(b, 8, 8, false)), c));
  THREE("vset.s32.u32.gt", ".h1", ".b1", done(GT, field(a, 16, 16, true), field(b, 8, 8, false)));
  CHOSEN("vset.s32.u32.gt.max", "", ".h1", ".b1", done(MAX, done(GT, field(a, 16, 16, true), field(b, 8, 8, false)), c));
  THREE("vset.s32.u32.ge", ".h1", ".b1", done(GE, field(a, 16, 16, true), field(b, 8, 8, false)));
  CHOSEN("vset.s32.u32.ge.max", "", ".h1", ".b1", done(MAX, done(GE, field(a, 16, 16, true), field(b, 8, 8, false)), c));
  THREE("vshl.u32.u32.u32.wrap", "", ".b0", a << (b & 31));
  THREE("vshl.u32.u32.u32.clamp", "", ".b0", (b & 0xFF) > 31 ? 0 : a << (b & 31));
  THREE("vshr.s32.s32.u32.clamp", ".h1", ".b3", field(a, 16, 16, true) >> ((b >> 24) > 31 ? 32 : (b >> 24)));
  CHOSEN("vshr.u32.u32.u32.wrap.add", "", "", ".b1", (a >> ((b >> 8) & 31)) + c);
  CHOSEN("vshl.s32.s32.u32.sat.clamp", ".b0", ".b2", "", (c & 0xFFFFFF00u) | (b > 31 ? field(a, 16, 8, true) < 0 ? 0x80u : field(a, 16, 8, true) > 0 ? 0x7Fu : 0u : static_cast<unsigned>(clamped(field(a, 16, 8, true) * (1ll << (b & 31)), 8, true)) & 0xFF));

  // Products: (a*b) + c, one of the two negated, one more, scaled, in range.
  const long long ah = field(a, 16, 16, true), bh = field(b, 0, 16, true), cs = static_cast<int>(c);
  CHOSEN("vmad.s32.s32.s32", "", ".h1", ".h0", static_cast<unsigned>(ah * bh + cs));
  CHOSEN("vmad.s32.s32.s32.sat", "", ".h1", ".h0", static_cast<unsigned>(clamped(ah * bh + cs, 32, true)));
  CHOSEN("vmad.s32.s32.s32.sat.shr7", "", ".h1", ".h0", static_cast<unsigned>(clamped((ah * bh + cs) >> 7, 32, true)));
  CHOSEN("vmad.s32.s32.s32.shr15", "", ".h1", ".h0", static_cast<unsigned>((ah * bh + cs) >> 15));
  CHOSEN("vmad.u32.u32.u32.po.shr7", "", ".b0", ".b3", ((a & 0xFF) * (b >> 24) + static_cast<unsigned long long>(c) + 1) >> 7);
  asm("vmad.s32.s32.s32.sat %0, -%1.h1, %2.h0, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  assert(r == static_cast<unsigned>(clamped(cs - ah * bh, 32, true)));
  asm("vmad.s32.s32.s32.sat %0, %1.h1, %2.h0, -%3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  assert(r == static_cast<unsigned>(clamped(ah * bh - cs, 32, true)));
  if (threadIdx.x == 0) sum[0] = r;
}
