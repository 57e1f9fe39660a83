// Replaces CUDA's header of this name: its declarations stand before every host text.
