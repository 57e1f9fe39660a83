// Replaces NVTX's header of this name.
#pragma once
#include "nvtx_marks.hpp"
