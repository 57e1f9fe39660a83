// Replaces NVTX's header of this name.
#include "nvtx_marks.hpp"
