"""torch.ops.hipsight: the kernel library's operations on CPU tensors, run on an emulated GPU.

    import hipsight.torch
    c = torch.ops.hipsight.gemm(a, b)                     # on the GPU of HIPSIGHT_GPU, or an MI300X
    c = torch.ops.hipsight.gemm(a, b, gpu="mi355x")
    o, log_sums = torch.ops.hipsight.attention(q, k, v, causal=True)
    print(hipsight.torch.replace(model))                  # an ordinary model, computed by them

Kernels read and write the tensors where they lie. torch.cuda stays as it is. docs/python.md
"""

from . import (_attention, _convolution, _gemm, _gradients, _grouped_gemm, _int4_gemm, _moe, _paged_attention,  # noqa: F401: registers them
               _rows, _scaled_gemm)
from ._backend import Backend  # noqa: F401
from .._kernels import use_runtime  # noqa: F401
from ._decoders import Decoder, NAMED as NAMED_DECODERS  # noqa: F401
from ._model import ModelReport, ModuleTime, model  # noqa: F401
from ._optimizer import AdamW  # noqa: F401
from ._operators import OperatorLaunch, Operators, OperatorTime  # noqa: F401
from ._plan import Choice, Plan, plan  # noqa: F401
from ._replace import Replaced, replace  # noqa: F401
from ._training import Sharing, Training, training, TrainingTime  # noqa: F401
from ._serving import ForwardTime, Serving, StepTime, Throughput, serving  # noqa: F401
