"""Triton asks every backend for a compiler. AMD's own makes the machine code; this one is never chosen."""

from triton.backends.amd import compiler as amd


class NoCompiler(amd.HIPBackend):

    @staticmethod
    def supports_target(target):
        return False
