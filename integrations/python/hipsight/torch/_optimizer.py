"""AdamW by one kernel a parameter."""

from __future__ import annotations

import ctypes
from typing import Any, Optional

import torch
from torch import Tensor

from .. import _kernels
from ._operands import VALUES, plain, refuse


class Step(ctypes.Structure):
    """hipsight_adamw_step"""
    _fields_ = [(name, ctypes.c_float) for name in ("rate", "beta1", "beta2", "epsilon", "decay", "gradient_factor")] + [
        ("step", ctypes.c_int)]


def matrix(tensor):
    """A tensor without gaps as one row."""
    return tensor.view(1, -1)


@torch.library.custom_op("hipsight::adamw_", mutates_args=("parameter", "mean", "square", "master"), device_types="cpu")
def adamw_(parameter: Tensor, gradient: Tensor, mean: Tensor, square: Tensor, master: Optional[Tensor], step: int,
           rate: float, beta1: float, beta2: float, eps: float, decay: float, gradient_factor: float = 1.0, *,
           gpu: Optional[str] = None) -> None:
    """A step of AdamW in place: mean, square and master (or None) in float32."""
    given = dict(parameter=parameter, gradient=gradient, mean=mean, square=square, master=master)
    if parameter.dtype not in VALUES or gradient.dtype not in VALUES:
        refuse("adamw_", "parameter and gradient are float16, bfloat16 or float32", **given)
    for name in ("mean", "square", "master"):
        if given[name] is not None and given[name].dtype != torch.float32:
            refuse("adamw_", f"{name} must be float32", **given)
    if any(one is not None and (one.shape != parameter.shape or (one is not gradient and not one.is_contiguous()))
           for one in given.values()):
        refuse("adamw_", "all must have one shape, and lie without gaps", **given)
    if parameter.numel():
        of_step = Step(rate, beta1, beta2, eps, decay, gradient_factor, step)
        _kernels.call("adamw", gpu, matrix(plain(gradient).contiguous()), matrix(parameter), matrix(mean), matrix(square),
                      None if master is None else matrix(master), ctypes.byref(of_step))


class AdamW(torch.optim.Optimizer):
    """torch.optim.AdamW by the kernel library: moments in float32; of parameters in 16 bits a copy in float32, too.

    gpu: as operations take it.
    """

    def __init__(self, params: Any, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, *, gpu: str | None = None):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))
        self.gpu = gpu

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """One step for every parameter that has a gradient."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._step(parameter, group)
        return loss

    def _step(self, parameter, group):
        state = self.state[parameter]
        if not state:
            state["step"] = 0
            state["mean"], state["square"] = (torch.zeros(parameter.shape, dtype=torch.float32) for _ in range(2))
            if parameter.dtype != torch.float32:
                state["master"] = parameter.detach().float().clone(memory_format=torch.contiguous_format)
        state["step"] += 1
        torch.ops.hipsight.adamw_(parameter, parameter.grad, state["mean"], state["square"], state.get("master"),
                                  state["step"], group["lr"], *group["betas"], group["eps"], group["weight_decay"],
                                  gpu=self.gpu)
