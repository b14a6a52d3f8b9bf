# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the layers of the compiler must not know."""

import re
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]
# From the dialects on, a kernel is a kernel.
BELOW_THE_FRONT_END = [
    f"{root}/{part}"
    for root in ("lib", "include/kiln")
    for part in ("Dialect", "Conversion", "Target", "Analysis")
]
COMMENT = re.compile(r"//.*")


def code_of(folder):
    for file in sorted((CHECKOUT / folder).rglob("*")):
        if file.suffix in (".cpp", ".h", ".td"):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                yield file.relative_to(CHECKOUT), number, COMMENT.sub("", line)


@pytest.mark.parametrize("folder", BELOW_THE_FRONT_END)
def test_no_pass_asks_for_the_language(folder):
    asks = [
        f"{file}:{number}: {line.strip()}"
        for file, number, line in code_of(folder)
        if re.search(r"triton|tilelang|\blanguage\b|Frontend/", line, re.IGNORECASE)
    ]
    assert not asks, "\n".join(asks)


def test_the_check_sees_code():
    assert any("language" in line for _, _, line in code_of("lib/Frontend"))
