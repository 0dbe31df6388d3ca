"""Mixtures of experts: by vLLM's Triton kernel, unchanged, or by our kernels."""

import torch

from vllm.model_executor.layers.fused_moe import fused_moe
from vllm.model_executor.layers.fused_moe.activation import MoEActivation
from vllm.model_executor.layers.fused_moe.config import RoutingMethodType
from vllm.model_executor.layers.fused_moe.oracle.unquantized import UnquantizedMoeBackend, backend_to_kernel_cls
from vllm.model_executor.layers.fused_moe.unquantized_fused_moe_method import UnquantizedFusedMoEMethod

ROUTINGS = (RoutingMethodType.Default, RoutingMethodType.Renormalize, RoutingMethodType.RenormalizeNaive)


@UnquantizedFusedMoEMethod.register_oot
class HipsightExperts(UnquantizedFusedMoEMethod):
    """vLLM leaves experts to a platform that it does not know."""

    def __init__(self, moe):
        if moe.activation != MoEActivation.SILU or moe.swiglu_limit is not None:
            raise NotImplementedError(f"hipsight: experts with the activation {moe.activation.value}"
                                      f"{'' if moe.swiglu_limit is None else ', clamped,'} are not done yet; silu is")
        if moe.routing_method not in ROUTINGS:
            raise NotImplementedError(f"hipsight: experts chosen by {moe.routing_method.name} are not done yet; by the "
                                      "largest softmax is")
        super().__init__(moe)
        self.unquantized_backend = UnquantizedMoeBackend.TRITON
        self.experts_cls, = backend_to_kernel_cls(UnquantizedMoeBackend.TRITON)

    by_our_kernels = False  # operations.use() says otherwise

    def forward_oot(self, layer, x, topk_weights, topk_ids, shared_experts, shared_experts_input):
        if not self.by_our_kernels or shared_experts is not None or layer.expert_map is not None \
                or layer.apply_router_weight_on_input:
            return self.forward_native(layer, x, topk_weights, topk_ids, shared_experts, shared_experts_input)
        ours = torch.ops.hipsight
        # Weights are experts x columns x depth: they are read as they lie.
        starts, rows, places = ours.moe_sort(topk_ids.to(torch.int32), layer.w13_weight.shape[0])
        hidden = ours.silu_mul(*ours.grouped_gemm(x, layer.w13_weight.mT, starts, rows).chunk(2, -1))
        return ours.moe_combine(ours.grouped_gemm(hidden, layer.w2_weight.mT, starts), places, topk_weights.float())


def with_two_stages(config):
    """vLLM's sizes of tiles, with as many stages of the pipeline as it has on AMD's GPUs: more do not fit their LDS."""
    return lambda *arguments, **keywords: config(*arguments, **keywords) | {"num_stages": 2}


fused_moe.get_default_config = with_two_stages(fused_moe.get_default_config)
