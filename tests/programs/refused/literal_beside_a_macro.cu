// compile-error in line 8:
// says: since C++11,a space,`words`,--std c++03
#include <cstdio>
#include <cstdlib>

// Used in two lines: one cause, told once.
#define GIVE_UP(words)                    \
  do { std::fprintf(stderr, "failed: "words"\n"); \
    std::exit(1);                         \
  } while (0)

int main(int count, char **) {
  if (count > 5) GIVE_UP("many");
  if (count > 4) GIVE_UP("some");
}
