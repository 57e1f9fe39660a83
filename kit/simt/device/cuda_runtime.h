// Stands where CUDA's header of this name stands.
#pragma once
#include <tilelab/device.cuh>
