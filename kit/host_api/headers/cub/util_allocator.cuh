// Replaces the header of CUB of this name: a part of it.
#pragma once
#include "device_wide.hpp"
