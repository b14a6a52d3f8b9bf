"""replace_block.py FILE NAME: puts standard input between the markers of block NAME.

With --check, changes nothing and fails if the file would change.
"""

import re
import sys
from pathlib import Path

check = "--check" in sys.argv
file, name = (argument for argument in sys.argv[1:] if argument != "--check")
path = Path(file)
text = path.read_text(encoding="utf-8")
block = re.compile(
    rf"(<!-- begin: {re.escape(name)}[^\n]*-->\n).*?(<!-- end: {re.escape(name)} -->)", re.DOTALL
)
if not block.search(text):
    sys.exit(f"error: {file}: found no block '{name}'")
body = sys.stdin.read().strip("\n")
replaced = block.sub(lambda match: match[1] + body + "\n" + match[2], text)
if check and replaced != text:
    sys.exit(f"error: {file}: block '{name}' is stale: run scripts/gen-docs.sh")
if not check:
    path.write_text(replaced, encoding="utf-8")
