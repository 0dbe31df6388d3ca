"""Triton kernels on a GPU that hipsight emulates, with CPU tensors as their arguments.

`hipsight run` puts this package on the path of the Python it starts; Triton finds it by its entry point
in the group `triton.backends` and takes its driver when no real GPU is there (docs/triton.md).
"""
