"""Mixtures of experts by vLLM's Triton kernel, unchanged."""

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

    def forward_oot(self, *arguments, **keywords):
        return self.forward_native(*arguments, **keywords)


def with_two_stages(config):
    """vLLM's sizes of tiles, with as many stages of the pipeline as it has on AMD's GPUs: more do not fit their LDS."""
    return lambda *arguments, **keywords: config(*arguments, **keywords) | {"num_stages": 2}


fused_moe.get_default_config = with_two_stages(fused_moe.get_default_config)
