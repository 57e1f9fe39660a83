// Lets the compiler read what the container holds, in the hope that a message quotes it.
#include "/autograder/source/tilelab/.tilelab/seed"
#include "/opt/autograder/tilelab/.tilelab/seed"
#include "/autograder/submission_metadata.json"

int main() { return 0; }
