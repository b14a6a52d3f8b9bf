# lit configuration: `ninja check-lit`, or `lit build/dev/test --filter REGEX`.
#
# Tools on PATH: Kiln's (kiln-opt and its siblings), LLVM's (FileCheck, not, count, split-file) and
# the checkout's .venv (kiln, python). Substitutions: %kiln = the command line tool from this
# checkout, %python = its interpreter, %inputs = test/Inputs.

import os

import lit.formats

config.name = "Kiln"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ll", ".nasm", ".py", ".test"]
config.excludes = ["Inputs", "python", "lit.cfg.py", "lit.site.cfg.py", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.kiln_source_dir, "test")
config.test_exec_root = os.path.join(config.kiln_binary_dir, "test")

venv_bin = os.path.join(config.kiln_source_dir, ".venv", "bin")
tool_dirs = [os.path.join(config.kiln_binary_dir, "bin"), config.llvm_tools_dir, venv_bin]
config.environment["PATH"] = os.pathsep.join([*tool_dirs, config.environment["PATH"]])
config.environment["PYTHONPATH"] = os.path.join(config.kiln_source_dir, "python")
# Kernels compiled by a test leave nothing behind in the user's cache.
config.environment["KILN_CACHE_DIR"] = os.path.join(config.test_exec_root, "kernel-cache")

python = os.path.join(venv_bin, "python")
config.substitutions += [
    ("%kiln", f"{python} -m kiln"),
    ("%python", python),
    ("%inputs", os.path.join(config.test_source_root, "Inputs")),
]
if os.path.exists(python):
    config.available_features.add("python")
with open("/proc/cpuinfo", encoding="utf-8") as cpuinfo:
    flags = next((line for line in cpuinfo if line.startswith("flags")), "").split()
for name in ("avx2", "avx512f", "avx512_bf16", "avx512_vnni"):
    if name in flags:
        config.available_features.add(name)
