"""How many random kernels a run tries: few by default, `--fuzz-cases N` for a long run."""


def pytest_addoption(parser):
    parser.addoption("--fuzz-cases", type=int, default=24, help="random kernels to compile and run")
    parser.addoption("--fuzz-seed", type=int, default=0, help="number of the first random kernel")


def pytest_generate_tests(metafunc):
    if "fuzz_seed" in metafunc.fixturenames:
        first = metafunc.config.getoption("fuzz_seed", default=0)
        count = metafunc.config.getoption("fuzz_cases", default=24)
        metafunc.parametrize("fuzz_seed", range(first, first + count))
