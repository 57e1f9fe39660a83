// check: --kernel packed --block 64 --arg 'unsigned[64]=random' --arg 'unsigned[1]'
// CUDA's functions for the two halves and four bytes of a word compute what its manual says of each part.
#include <cassert>

__device__ int part(unsigned word, int first, int width, bool sign) {
  int value = (word >> first) & ((1 << width) - 1);
  return sign && value >= 1 << (width - 1) ? value - (1 << width) : value;
}

__device__ unsigned kept(int value, int width, char how) {
  const int low = how == 's' ? -(1 << (width - 1)) : 0, high = how == 's' ? (1 << (width - 1)) - 1 : (1 << width) - 1;
  if (how != 'w') value = value < low ? low : value > high ? high : value;
  return static_cast<unsigned>(value) & ((1u << width) - 1);
}

template <class Rule>
__device__ unsigned each(unsigned a, unsigned b, int width, bool sign, char how, Rule rule) {
  unsigned word = 0;
  for (int at = 0; at < 32; at += width) word |= kept(rule(part(a, at, width, sign), part(b, at, width, sign)), width, how) << at;
  return word;
}

__device__ unsigned total(unsigned a, unsigned b, int width, bool sign) {
  unsigned sum = 0;
  for (int at = 0; at < 32; at += width) {
    const int x = part(a, at, width, sign), y = part(b, at, width, sign);
    sum += x > y ? x - y : y - x;
  }
  return sum;
}

#define TWO(name, width, sign, how, rule) assert(name(a, b) == each(a, b, width, sign, how, [](int x, int y) { return rule; }))
#define ONE(name, width, sign, how, rule) assert(name(a) == each(a, b, width, sign, how, [](int x, int) { return rule; }))
#define SUM(name, width, sign) assert(name(a, b) == total(a, b, width, sign))

__global__ void packed(const unsigned* input, unsigned* sum) {
  const unsigned i = threadIdx.x;
  const unsigned a = i == 0 ? 0x80807F00u : i == 1 ? 0x80008000u : input[i] * 2654435761u + i * 0x01030507u;
  const unsigned b = i == 0 ? 0x80017FFFu : i == 1 ? 0x7FFF8000u : input[63 - i] * 40503u ^ a << 7;
  TWO(__vadd2, 16, false, 'w', x + y);
  TWO(__vaddss2, 16, true, 's', x + y);
  TWO(__vaddus2, 16, false, 'u', x + y);
  TWO(__vsub2, 16, false, 'w', x - y);
  TWO(__vsubss2, 16, true, 's', x - y);
  TWO(__vsubus2, 16, false, 'u', x - y);
  TWO(__vabsdiffs2, 16, true, 'w', x > y ? x - y : y - x);
  TWO(__vabsdiffu2, 16, false, 'w', x > y ? x - y : y - x);
  TWO(__vavgs2, 16, true, 'w', (x + y + (x + y >= 0)) >> 1);
  TWO(__vavgu2, 16, false, 'w', (x + y + 1) >> 1);
  TWO(__vhaddu2, 16, false, 'w', (x + y) >> 1);
  TWO(__vmaxs2, 16, true, 'w', x > y ? x : y);
  TWO(__vmaxu2, 16, false, 'w', x > y ? x : y);
  TWO(__vmins2, 16, true, 'w', x < y ? x : y);
  TWO(__vminu2, 16, false, 'w', x < y ? x : y);
  TWO(__vcmpeq2, 16, false, 'w', x == y ? -1 : 0);
  TWO(__vcmpne2, 16, false, 'w', x != y ? -1 : 0);
  TWO(__vcmpges2, 16, true, 'w', x >= y ? -1 : 0);
  TWO(__vcmpgeu2, 16, false, 'w', x >= y ? -1 : 0);
  TWO(__vcmpgts2, 16, true, 'w', x > y ? -1 : 0);
  TWO(__vcmpgtu2, 16, false, 'w', x > y ? -1 : 0);
  TWO(__vcmples2, 16, true, 'w', x <= y ? -1 : 0);
  TWO(__vcmpleu2, 16, false, 'w', x <= y ? -1 : 0);
  TWO(__vcmplts2, 16, true, 'w', x < y ? -1 : 0);
  TWO(__vcmpltu2, 16, false, 'w', x < y ? -1 : 0);
  TWO(__vseteq2, 16, false, 'w', x == y ? 1 : 0);
  TWO(__vsetne2, 16, false, 'w', x != y ? 1 : 0);
  TWO(__vsetges2, 16, true, 'w', x >= y ? 1 : 0);
  TWO(__vsetgeu2, 16, false, 'w', x >= y ? 1 : 0);
  TWO(__vsetgts2, 16, true, 'w', x > y ? 1 : 0);
  TWO(__vsetgtu2, 16, false, 'w', x > y ? 1 : 0);
  TWO(__vsetles2, 16, true, 'w', x <= y ? 1 : 0);
  TWO(__vsetleu2, 16, false, 'w', x <= y ? 1 : 0);
  TWO(__vsetlts2, 16, true, 'w', x < y ? 1 : 0);
  TWO(__vsetltu2, 16, false, 'w', x < y ? 1 : 0);
  ONE(__vneg2, 16, true, 'w', -x);
  ONE(__vnegss2, 16, true, 's', -x);
  ONE(__vabs2, 16, true, 'w', x < 0 ? -x : x);
  ONE(__vabsss2, 16, true, 's', x < 0 ? -x : x);
  SUM(__vsads2, 16, true);
  SUM(__vsadu2, 16, false);
  TWO(__vadd4, 8, false, 'w', x + y);
  TWO(__vaddss4, 8, true, 's', x + y);
  TWO(__vaddus4, 8, false, 'u', x + y);
  TWO(__vsub4, 8, false, 'w', x - y);
  TWO(__vsubss4, 8, true, 's', x - y);
  TWO(__vsubus4, 8, false, 'u', x - y);
  TWO(__vabsdiffs4, 8, true, 'w', x > y ? x - y : y - x);
  TWO(__vabsdiffu4, 8, false, 'w', x > y ? x - y : y - x);
  TWO(__vavgs4, 8, true, 'w', (x + y + (x + y >= 0)) >> 1);
  TWO(__vavgu4, 8, false, 'w', (x + y + 1) >> 1);
  TWO(__vhaddu4, 8, false, 'w', (x + y) >> 1);
  TWO(__vmaxs4, 8, true, 'w', x > y ? x : y);
  TWO(__vmaxu4, 8, false, 'w', x > y ? x : y);
  TWO(__vmins4, 8, true, 'w', x < y ? x : y);
  TWO(__vminu4, 8, false, 'w', x < y ? x : y);
  TWO(__vcmpeq4, 8, false, 'w', x == y ? -1 : 0);
  TWO(__vcmpne4, 8, false, 'w', x != y ? -1 : 0);
  TWO(__vcmpges4, 8, true, 'w', x >= y ? -1 : 0);
  TWO(__vcmpgeu4, 8, false, 'w', x >= y ? -1 : 0);
  TWO(__vcmpgts4, 8, true, 'w', x > y ? -1 : 0);
  TWO(__vcmpgtu4, 8, false, 'w', x > y ? -1 : 0);
  TWO(__vcmples4, 8, true, 'w', x <= y ? -1 : 0);
  TWO(__vcmpleu4, 8, false, 'w', x <= y ? -1 : 0);
  TWO(__vcmplts4, 8, true, 'w', x < y ? -1 : 0);
  TWO(__vcmpltu4, 8, false, 'w', x < y ? -1 : 0);
  TWO(__vseteq4, 8, false, 'w', x == y ? 1 : 0);
  TWO(__vsetne4, 8, false, 'w', x != y ? 1 : 0);
  TWO(__vsetges4, 8, true, 'w', x >= y ? 1 : 0);
  TWO(__vsetgeu4, 8, false, 'w', x >= y ? 1 : 0);
  TWO(__vsetgts4, 8, true, 'w', x > y ? 1 : 0);
  TWO(__vsetgtu4, 8, false, 'w', x > y ? 1 : 0);
  TWO(__vsetles4, 8, true, 'w', x <= y ? 1 : 0);
  TWO(__vsetleu4, 8, false, 'w', x <= y ? 1 : 0);
  TWO(__vsetlts4, 8, true, 'w', x < y ? 1 : 0);
  TWO(__vsetltu4, 8, false, 'w', x < y ? 1 : 0);
  ONE(__vneg4, 8, true, 'w', -x);
  ONE(__vnegss4, 8, true, 's', -x);
  ONE(__vabs4, 8, true, 'w', x < 0 ? -x : x);
  ONE(__vabsss4, 8, true, 's', x < 0 ? -x : x);
  SUM(__vsads4, 8, true);
  SUM(__vsadu4, 8, false);
  if (i == 0) sum[0] = a;
}
