// CUDA's device language for a host compiler. Standard headers come first, because libstdc++ uses names such as __noinline__,
// which CUDA's qualifiers define as macros below.
#pragma once

// libstdc++'s special functions (std::legendre and the like) are templates that GCC makes anew in every file, which takes longer than
// all of a kernel. No GPU has them, and host code gets them.
#include <cstddef>
#if !defined(TILELAB_HOST_API)
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#endif

#include <math.h>
#include <algorithm>
#include <cassert>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <type_traits>
#include <utility>

// clang-format off: each uses what comes before it, and the qualifiers are last
#include "vector_types.hpp"
#include "builtin_declarations.hpp"
#include "synchronization.hpp"
#include "warp_functions.hpp"
#include "atomic_functions.hpp"
#include "math_functions.hpp"
#include "integer_functions.hpp"
#include "packed_functions.hpp"
#include "rounded_functions.hpp"
#include "conversion_functions.hpp"
#include "load_functions.hpp"
#include "special_functions.hpp"
#include "texture_functions.hpp"
#include "surface_functions.hpp"
#include "launch_functions.hpp"
#include "graph_functions.hpp"
#include "inline_ptx.hpp"
#include "asynchronous_copies.hpp"
#include "scoped_atomics.hpp"
#include "bfloat_types.hpp"
#include "half_types.hpp"
#include "half_functions.hpp"
#include "half_memory.hpp"
#include "half_operators.hpp"
#include "qualifiers.hpp"
// clang-format on
