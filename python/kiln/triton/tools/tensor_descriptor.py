# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`triton.tools.tensor_descriptor`: not there yet."""

from __future__ import annotations

from typing import Any

from ...errors import not_there_yet


class TensorDescriptor:
    """A host-side tensor descriptor."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        not_there_yet("triton.tools.tensor_descriptor.TensorDescriptor")

    @staticmethod
    def from_tensor(*args: Any, **kwargs: Any) -> Any:
        not_there_yet("triton.tools.tensor_descriptor.TensorDescriptor")
