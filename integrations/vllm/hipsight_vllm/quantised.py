"""vLLM's linear layers with weights in 4 bits, by our kernels: checkpoints of GPTQ, AWQ and compressed-tensors."""

import torch
from vllm.model_executor.kernels.linear import register_linear_kernel
from vllm.model_executor.kernels.linear.mixed_precision.MPLinearKernel import MPLinearKernel
from vllm.model_executor.layers.quantization import auto_gptq
from vllm.model_executor.layers.quantization.auto_awq import AutoAWQLinearMethod
from vllm.model_executor.parameter import permute_param_layout_
from vllm.platforms.interface import PlatformEnum
from vllm.scalar_type import scalar_types

FOUR_BITS = scalar_types.uint4, scalar_types.uint4b8  # with zeros, or with 8 in their place


def use():
    register_linear_kernel(HipsightW4A16, PlatformEnum.OOT)
    auto_gptq.verify_marlin_supported = lambda *arguments, **keywords: None  # it asks about NVIDIA's kernel
    AutoAWQLinearMethod.process_weights_after_loading = repack_awq
    AutoAWQLinearMethod.apply = lambda self, layer, x, bias=None: multiply(layer, x, bias)


def keep(layer, names, weights, scales, zeros, layout):
    """Repacks weights, in the place of those that were loaded."""
    codes, factors = torch.ops.hipsight.int4_repack(weights, scales, zeros, layout)
    for name in names:
        if name and hasattr(layer, name):
            delattr(layer, name)
    layer.int4_codes, layer.int4_factors = (torch.nn.Parameter(one, requires_grad=False) for one in (codes, factors))


def multiply(layer, x, bias):
    return torch.ops.hipsight.int4_gemm(x, layer.int4_codes, layer.int4_factors, bias)


def repack_awq(method, layer):
    keep(layer, ("qweight", "scales", "qzeros"), layer.qweight.data, layer.scales.data, layer.qzeros.data, "awq")


class HipsightW4A16(MPLinearKernel):

    @classmethod
    def get_min_capability(cls):
        return 0

    @classmethod
    def can_implement(cls, c):
        depth, columns = c.partition_weight_shape
        group = depth if c.group_size == -1 else c.group_size
        if c.weight_type not in FOUR_BITS or c.act_type not in (torch.float16, torch.bfloat16):
            return False, "it takes weights in 4 bits, and activations in float16 or bfloat16"
        if depth % 32 or columns % 32 or group != depth and (group < 32 or group & (group - 1)) or depth % group:
            return False, "it takes groups of 32, 64, 128, ... weights or one group, and columns in blocks of 32"
        return True, None

    def process_weights_after_loading(self, layer):
        weights, scales, zeros = self._get_weight_params(layer)
        # To GPTQ's layout: depth first, 8 weights of it in a word; zeros along the columns.
        permute_param_layout_(weights, input_dim=0, output_dim=1, packed_dim=0)
        permute_param_layout_(scales, input_dim=0, output_dim=1)
        if self.config.weight_type.has_bias():
            zeros = None
        elif getattr(zeros, "output_dim", 1) == 0:
            zeros = zeros.data.T
        keep(layer, (self.w_q_name, self.w_s_name, self.w_zp_name), weights.data, scales.data,
             None if zeros is None else zeros.data, "gptq_v2")

    def apply_weights(self, layer, x, bias=None):
        return multiply(layer, x, bias)
