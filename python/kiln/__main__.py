# Part of Kiln, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`python -m kiln` is the command line tool."""

import sys

from kiln.cli import main

sys.exit(main())
