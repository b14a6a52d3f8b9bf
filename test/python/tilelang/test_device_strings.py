"""`kiln run`: devices named by published files mean CPU tensors."""

import os
import subprocess
import sys

import pytest

SAID = "means CPU tensors; kernels run on"

# Every expression gives a tensor, or a module's parameter, on the CPU.
TENSORS = """
torch.zeros(2, device="npu")
torch.zeros(2, device="npu:1")
torch.zeros(2, device="cuda")
torch.zeros(2, device=0)
torch.tensor([1.0], device=torch.device("cuda", 0))
torch.arange(3, device="npu:0")
torch.empty(2, pin_memory=True).pin_memory()
torch.zeros_like(x, device="npu")
x.new_zeros(2, device="npu")
x.npu()
x.npu(0)
x.cuda()
x.cuda(0, non_blocking=True)
x.to("npu")
x.to("cuda:0", torch.float16)
x.to(device="npu", dtype=torch.float16)
x.to(torch.device("npu"))
x.to(0)
x.npu().cpu()
torch.randn(2, generator=torch.Generator(device="npu"))
torch.nn.Linear(2, 2, device="npu").weight
torch.nn.Linear(2, 2).npu().weight
torch.nn.Linear(2, 2).cuda().weight
torch.nn.Linear(2, 2).to("npu:0").weight
"""

ACCELERATOR = """
import torch
import torch_npu
for module in (torch.npu, torch_npu.npu, torch.cuda):
    assert module.is_available() and module.device_count() == 1 and module.current_device() == 0
    assert "Kiln" in module.get_device_name(0) and module.get_device_properties(0).name
    module.set_device(0)
    module.manual_seed(3)
    a = torch.rand(4)
    module.manual_seed_all(3)
    assert torch.equal(a, torch.rand(4))
    first, last = module.Event(enable_timing=True), module.Event(enable_timing=True)
    with module.stream(module.Stream()), module.device(0):
        first.record()
        last.record(module.current_stream())
    module.synchronize()
    assert first.elapsed_time(last) >= 0
    module.empty_cache()
torch.npu.config.allow_internal_format = True
for call in (lambda: torch.npu.NPUGraph(), lambda: torch_npu.npu_swiglu(a)):
    try:
        call()
    except NotImplementedError as error:
        assert "is not there yet" in str(error), error
    else:
        raise SystemExit("accepted")
assert not hasattr(torch_npu, "npu_swiglu")
"""

KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr + i, x * 2, mask=i < n)


torch.set_default_device("cuda")
x = torch.randn(1000)
assert x.is_cuda
out = torch.empty_like(x)
double[(triton.cdiv(1000, 256),)](x, out, 1000, BLOCK=256)
torch.cuda.synchronize()
assert torch.equal(out, x * 2)
"""

OTHERS = """
import threading
import torch
found = []
thread = threading.Thread(target=lambda: found.append(torch.ones(2, device="npu").device))
thread.start()
thread.join()
assert found == [torch.device("cpu")], found
# PyTorch itself asks for its devices here, and gets the truth.
torch.manual_seed(0)
with torch.random.fork_rng():
    torch.rand(1)
w = torch.nn.Linear(4, 2).cuda()
w(torch.ones(3, 4)).sum().backward()
torch.optim.AdamW(w.parameters()).step()
try:
    torch.zeros(2, device="nqu")
except RuntimeError:
    pass
else:
    raise SystemExit("a device that nobody has was accepted")
"""


TRANSFERS = """
import torch
wide = torch.arange(4.0).expand(3, -1)
for there in (wide.npu(), wide.cuda(), wide.to("npu"), wide.to(device=torch.device("cuda"))):
    assert there.is_contiguous() and torch.equal(there, wide), there.stride()
turned = torch.ones(2, 3).t()
assert turned.npu() is turned and turned.stride() == (1, 3)
x = torch.ones(4).npu()
assert x.npu() is x and x.to("npu") is x
before = x.cpu()
x += 1
assert (before == 1).all() and (x.cpu() == 2).all()
part = torch.ones(2, 4)[:, :2]
assert part.to(torch.float32) is part
"""


@pytest.fixture
def run(tmp_path):
    def start(text, *arguments):
        file = tmp_path / "file.py"
        file.write_text(text)
        env = os.environ | {"KILN_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-m", "kiln", "run", *arguments, str(file)]
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)

    return start


@pytest.mark.torch
def test_tensors_are_plain(run):
    lines = "\n".join(
        f"y = {line}\nassert y.device == torch.device('cpu') and str(y.device) == 'cpu', y\n"
        f"assert type(y) in (torch.Tensor, torch.nn.Parameter), type(y)"
        for line in TENSORS.strip().splitlines()
    )
    done = run(f"import torch\nx = torch.ones(2, 2)\n{lines}\n")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(SAID) == 1
    assert f"kiln run: device 'npu' of this file {SAID} cpu\n" in done.stderr


@pytest.mark.torch
@pytest.mark.parametrize(
    "text",
    (ACCELERATOR, KERNEL, OTHERS, TRANSFERS),
    ids=("calls", "kernel", "others", "transfers"),
)
def test_file(run, text):
    done = run(text)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count(SAID) == 1, done.stderr


@pytest.mark.torch
def test_nothing_is_said_of_a_file_that_names_no_device(run):
    done = run("import torch\ntorch.manual_seed(0)\nassert torch.ones(2).to(torch.int8).sum() == 2")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.torch
def test_device_of_the_kernels(run):
    done = run("import torch\ntorch.ones(2).npu()", "--device", "ascend910b")
    assert f"{SAID} ascend910b\n" in done.stderr, done.stderr


def test_torch_is_not_imported_by_kiln(run):
    done = run(
        "import sys\nassert 'torch' not in sys.modules\nassert 'torch_npu' not in sys.modules"
    )
    assert done.returncode == 0, done.stderr


def test_import_kiln_maps_nothing():
    code = "import sys, kiln\nassert not any('hostmap' in str(type(f)) for f in sys.meta_path)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_module_of_torch_npu_that_is_absent_says_so(run):
    done = run("import importlib.util\nimportlib.util.find_spec('torch_npu.contrib')")
    assert "torch_npu" in done.stderr and done.returncode == 1
