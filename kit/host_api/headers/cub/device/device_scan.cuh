// Replaces the header of CUB of this name: a part of it.
#include "device_wide.hpp"
