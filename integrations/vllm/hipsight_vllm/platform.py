"""What vLLM must know of an emulated GPU: tensors are on the CPU, Triton's kernels are not."""

from vllm.platforms.cpu import CpuPlatform
from vllm.platforms.interface import PlatformEnum
from vllm.v1.attention.backends.registry import AttentionBackendEnum

QUANTISED = "auto_gptq", "auto_awq", "compressed-tensors"
OUR_OPERATIONS = "hipsight_operations"  # in vLLM's additional_config: True for torch.ops.hipsight


class HipsightPlatform(CpuPlatform):
    _enum = PlatformEnum.OOT

    @classmethod
    def get_attn_backend_cls(cls, selected_backend, attn_selector_config, num_heads=None):
        if attn_selector_config.use_mla or attn_selector_config.use_sparse:
            raise NotImplementedError("hipsight: attention with latent (MLA) or sparse keys is not done yet")
        if selected_backend not in (None, AttentionBackendEnum.TRITON_ATTN):
            raise ValueError(f"hipsight: the attention backend is TRITON_ATTN, not {selected_backend.name}")
        return AttentionBackendEnum.TRITON_ATTN.get_path()

    @classmethod
    def get_device_communicator_cls(cls):
        return "hipsight_vllm.communicator.HipsightCommunicator"

    @classmethod
    def verify_quantization(cls, quant):
        if quant not in QUANTISED:
            raise NotImplementedError(f"hipsight: quantised weights ({quant}) are not done yet; {', '.join(QUANTISED)} in 4 "
                                      f"bits are, with {OUR_OPERATIONS}")

    @classmethod
    def check_and_update_config(cls, vllm_config):
        wanted = vllm_config.additional_config.get(OUR_OPERATIONS, False)
        if not isinstance(wanted, bool):
            raise ValueError(f"hipsight: additional_config has {OUR_OPERATIONS}={wanted!r}: it takes true or false")
        if vllm_config.quant_config is not None and not wanted:
            raise NotImplementedError(f"hipsight: quantised weights are for our kernels: additional_config must have "
                                      f"{OUR_OPERATIONS}=true")
        if vllm_config.parallel_config.worker_cls == "auto":
            vllm_config.parallel_config.worker_cls = "hipsight_vllm.worker.HipsightWorker"
        super().check_and_update_config(vllm_config)

    @classmethod
    def update_block_size_for_backend(cls, vllm_config):
        """The cache's blocks have 16 tokens, as on GPUs, where CpuPlatform takes 128."""
        super(CpuPlatform, cls).update_block_size_for_backend(vllm_config)

    @classmethod
    def import_kernels(cls):
        """None: what vLLM compiled is for CUDA."""

    @classmethod
    def register_triton_kernel_overrides(cls):
        """None: Triton's kernels run as they are."""
