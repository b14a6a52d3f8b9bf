"""figures.py JSON...: the rows of `kiln bench --json` as the Markdown tables of the README."""

import json
import sys
from pathlib import Path


def share(value):
    return "" if value is None else f"{value * 100:.0f} %"


rows = [row for name in sys.argv[1:] for row in json.loads(Path(name).read_text())]
cpu = [row for row in rows if row["suite"] == "cpu"]
if cpu:
    print("| case | GB/s | bound | of the bound | times NumPy |")
    print("| --- | --- | --- | --- | --- |")
    for row in cpu:
        print(
            f"| `{row['case']}` | {row['value']:.1f} | {row['bound']:.1f} ({row['bound_kind']}) "
            f"| {share(row['bound_share'])} | {row['ratio']:.2f} |"
        )
    print()
others = [row for row in rows if row["suite"] != "cpu"]
if others:
    print("| case | value |")
    print("| --- | --- |")
    for row in others:
        note = ""
        if "times_smaller" in row:
            note = f" ({row['times_smaller']:.2f} times the smaller one)"
        print(f"| `{row['case']}` | {row['value']:.3g} {row['unit'].replace('us', 'µs')}{note} |")
