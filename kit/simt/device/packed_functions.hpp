// The two halves or four bytes of a word, each for itself. A row is the function for halves, whose name ends with 2, and the one for bytes.
#pragma once

#include "vector_types.hpp"

inline namespace cuda_on_cpu {

#define TILELAB_OF_PARTS(name, parameters, function, arguments, ...)          \
  unsigned name##2 parameters TILELAB_IS(function<2, __VA_ARGS__> arguments); \
  unsigned name##4 parameters TILELAB_IS(function<4, __VA_ARGS__> arguments);
// Whether the parts have signs, and what is kept of the result.
#define TILELAB_PACKED(name, operation, has_sign, keeps) \
  TILELAB_OF_PARTS(name, (unsigned a, unsigned b), each, (a, b), Video::operation, has_sign, Keeps::keeps)
#define TILELAB_PACKED_OF_ONE(name, operation, has_sign, keeps) \
  TILELAB_OF_PARTS(name, (unsigned a), each, (0, a), Video::operation, has_sign, Keeps::keeps)
// All bits of a part for which it is true, and 1 for such a part.
#define TILELAB_COMPARED(name, operation, has_sign)           \
  TILELAB_PACKED(__vcmp##name, operation, has_sign, all_bits) \
  TILELAB_PACKED(__vset##name, operation, has_sign, wrapped)

// Sums, wrapped around, or kept in the range of a signed (ss) or unsigned (us) part.
TILELAB_PACKED(__vadd, add, false, wrapped)
TILELAB_PACKED(__vaddss, add, true, signed_range)
TILELAB_PACKED(__vaddus, add, false, unsigned_range)
TILELAB_PACKED(__vsub, sub, false, wrapped)
TILELAB_PACKED(__vsubss, sub, true, signed_range)
TILELAB_PACKED(__vsubus, sub, false, unsigned_range)
TILELAB_PACKED_OF_ONE(__vneg, sub, false, wrapped)
TILELAB_PACKED_OF_ONE(__vnegss, sub, true, signed_range)
// Absolute values and differences; and the sum of all differences.
TILELAB_PACKED_OF_ONE(__vabs, abs_diff, true, wrapped)
TILELAB_PACKED_OF_ONE(__vabsss, abs_diff, true, signed_range)
TILELAB_PACKED(__vabsdiffs, abs_diff, true, wrapped)
TILELAB_PACKED(__vabsdiffu, abs_diff, false, wrapped)
TILELAB_OF_PARTS(__vsads, (unsigned a, unsigned b), sum_of_differences, (a, b), true)
TILELAB_OF_PARTS(__vsadu, (unsigned a, unsigned b), sum_of_differences, (a, b), false)
// The mean, rounded up or down.
TILELAB_PACKED(__vavgs, average, true, wrapped)
TILELAB_PACKED(__vavgu, average, false, wrapped)
TILELAB_PACKED(__vhaddu, average_below, false, wrapped)
// The smaller and the larger part.
TILELAB_PACKED(__vmaxs, max, true, wrapped)
TILELAB_PACKED(__vmaxu, max, false, wrapped)
TILELAB_PACKED(__vmins, min, true, wrapped)
TILELAB_PACKED(__vminu, min, false, wrapped)
TILELAB_COMPARED(eq, equal, false)
TILELAB_COMPARED(ne, not_equal, false)
TILELAB_COMPARED(ges, greater_equal, true)
TILELAB_COMPARED(geu, greater_equal, false)
TILELAB_COMPARED(gts, greater, true)
TILELAB_COMPARED(gtu, greater, false)
TILELAB_COMPARED(les, less_equal, true)
TILELAB_COMPARED(leu, less_equal, false)
TILELAB_COMPARED(lts, less, true)
TILELAB_COMPARED(ltu, less, false)
#undef TILELAB_COMPARED
#undef TILELAB_PACKED_OF_ONE
#undef TILELAB_PACKED
#undef TILELAB_OF_PARTS

}  // namespace cuda_on_cpu
