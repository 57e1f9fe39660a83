// compile-error in line 4:
// says: <print>,C++23,g++
#include <cstdio>
#include <print>

int main() { std::print("{}\n", 3); }
