// The two halves or four bytes of a word, each for itself.
#pragma once

inline namespace cuda_on_cpu {

// Sums, wrapped around, or kept in the range of a signed (ss) or unsigned (us) part.
unsigned __vadd2(unsigned a, unsigned b);
unsigned __vaddss2(unsigned a, unsigned b);
unsigned __vaddus2(unsigned a, unsigned b);
unsigned __vsub2(unsigned a, unsigned b);
unsigned __vsubss2(unsigned a, unsigned b);
unsigned __vsubus2(unsigned a, unsigned b);
unsigned __vneg2(unsigned a);
unsigned __vnegss2(unsigned a);
unsigned __vadd4(unsigned a, unsigned b);
unsigned __vaddss4(unsigned a, unsigned b);
unsigned __vaddus4(unsigned a, unsigned b);
unsigned __vsub4(unsigned a, unsigned b);
unsigned __vsubss4(unsigned a, unsigned b);
unsigned __vsubus4(unsigned a, unsigned b);
unsigned __vneg4(unsigned a);
unsigned __vnegss4(unsigned a);

// Absolute values and differences; and the sum of all differences.
unsigned __vabs2(unsigned a);
unsigned __vabsss2(unsigned a);
unsigned __vabsdiffs2(unsigned a, unsigned b);
unsigned __vabsdiffu2(unsigned a, unsigned b);
unsigned __vsads2(unsigned a, unsigned b);
unsigned __vsadu2(unsigned a, unsigned b);
unsigned __vabs4(unsigned a);
unsigned __vabsss4(unsigned a);
unsigned __vabsdiffs4(unsigned a, unsigned b);
unsigned __vabsdiffu4(unsigned a, unsigned b);
unsigned __vsads4(unsigned a, unsigned b);
unsigned __vsadu4(unsigned a, unsigned b);

// The mean, rounded up or down.
unsigned __vavgs2(unsigned a, unsigned b);
unsigned __vavgu2(unsigned a, unsigned b);
unsigned __vhaddu2(unsigned a, unsigned b);
unsigned __vavgs4(unsigned a, unsigned b);
unsigned __vavgu4(unsigned a, unsigned b);
unsigned __vhaddu4(unsigned a, unsigned b);

// The smaller and the larger part.
unsigned __vmaxs2(unsigned a, unsigned b);
unsigned __vmaxu2(unsigned a, unsigned b);
unsigned __vmins2(unsigned a, unsigned b);
unsigned __vminu2(unsigned a, unsigned b);
unsigned __vmaxs4(unsigned a, unsigned b);
unsigned __vmaxu4(unsigned a, unsigned b);
unsigned __vmins4(unsigned a, unsigned b);
unsigned __vminu4(unsigned a, unsigned b);

// All bits of a part for which it is true.
unsigned __vcmpeq2(unsigned a, unsigned b);
unsigned __vcmpne2(unsigned a, unsigned b);
unsigned __vcmpges2(unsigned a, unsigned b);
unsigned __vcmpgeu2(unsigned a, unsigned b);
unsigned __vcmpgts2(unsigned a, unsigned b);
unsigned __vcmpgtu2(unsigned a, unsigned b);
unsigned __vcmples2(unsigned a, unsigned b);
unsigned __vcmpleu2(unsigned a, unsigned b);
unsigned __vcmplts2(unsigned a, unsigned b);
unsigned __vcmpltu2(unsigned a, unsigned b);
unsigned __vcmpeq4(unsigned a, unsigned b);
unsigned __vcmpne4(unsigned a, unsigned b);
unsigned __vcmpges4(unsigned a, unsigned b);
unsigned __vcmpgeu4(unsigned a, unsigned b);
unsigned __vcmpgts4(unsigned a, unsigned b);
unsigned __vcmpgtu4(unsigned a, unsigned b);
unsigned __vcmples4(unsigned a, unsigned b);
unsigned __vcmpleu4(unsigned a, unsigned b);
unsigned __vcmplts4(unsigned a, unsigned b);
unsigned __vcmpltu4(unsigned a, unsigned b);

// 1 for a part for which it is true.
unsigned __vseteq2(unsigned a, unsigned b);
unsigned __vsetne2(unsigned a, unsigned b);
unsigned __vsetges2(unsigned a, unsigned b);
unsigned __vsetgeu2(unsigned a, unsigned b);
unsigned __vsetgts2(unsigned a, unsigned b);
unsigned __vsetgtu2(unsigned a, unsigned b);
unsigned __vsetles2(unsigned a, unsigned b);
unsigned __vsetleu2(unsigned a, unsigned b);
unsigned __vsetlts2(unsigned a, unsigned b);
unsigned __vsetltu2(unsigned a, unsigned b);
unsigned __vseteq4(unsigned a, unsigned b);
unsigned __vsetne4(unsigned a, unsigned b);
unsigned __vsetges4(unsigned a, unsigned b);
unsigned __vsetgeu4(unsigned a, unsigned b);
unsigned __vsetgts4(unsigned a, unsigned b);
unsigned __vsetgtu4(unsigned a, unsigned b);
unsigned __vsetles4(unsigned a, unsigned b);
unsigned __vsetleu4(unsigned a, unsigned b);
unsigned __vsetlts4(unsigned a, unsigned b);
unsigned __vsetltu4(unsigned a, unsigned b);

}  // namespace cuda_on_cpu
