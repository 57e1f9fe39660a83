// Replaces CUDA's header of this name.
#pragma once
#include <tilelab/device.cuh>
