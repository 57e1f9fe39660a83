// check: --kernel video --block 64 --arg 'unsigned[64]=random' --arg 'unsigned[1]'
// Video instructions of inline PTX compute what the PTX manual says: halves and bytes of words, saturated, merged, added up.
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
  if (threadIdx.x == 0) sum[0] = r;
}
