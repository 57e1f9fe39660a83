// What a program of a course with libwb includes: its arguments, its data, its log and timers, and where it hands over its solution. It
// has libwb's names and nothing of libwb's code. A solution is not compared here: it is written to the output file, and the judge reads it.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "wb_arguments.h"
#include "wb_data.h"
#include "wb_image.h"
#include "wb_log.h"
#include "wb_solution.h"
#include "wb_types.h"
