"""A platform of vLLM: attention by vLLM's own Triton kernels, on the GPU that `hipsight run` emulates."""

import os


def platform():
    """vLLM asks at its start: the class of our platform, if `hipsight run` started the program."""
    return "hipsight_vllm.platform.HipsightPlatform" if "HIPSIGHT_GPU" in os.environ else None
