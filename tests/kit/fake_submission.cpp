// Imitates what the builder adds to a submission: the kit's tests link all of the runner, and no submission. No test launches through it.

extern "C" {
__thread char tilelab_dynamic_shared[64];
}
