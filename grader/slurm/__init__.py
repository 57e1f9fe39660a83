"""A class judged by a cluster: Slurm runs arrays of tasks, each judges a slice of the jobs into OUT's job store."""
