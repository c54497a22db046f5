"""Run the semantic tests and rewrite pending.txt with those that do not pass yet.

    python -m tests.semantics.update_pending [arguments for pytest]

Wrong answers are printed and never listed; the exit status is then 1.
"""

from __future__ import annotations

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
PENDING = HERE / "pending.txt"
HOW = {
    "NotOffloadableError": "refused",
    "CompilerCrash": "crash",
    "TooManyCompiles": "recompiles",
    "BadRefusal": "refusal",
}
HEADER = """\
# Programs that are not right yet, each with how it fails. Written by `python -m tests.semantics.update_pending`.
# refused: NotOffloadableError; crash: an error of the compiler; recompiles: right, but compiled too often; refusal:
# refused without saying where and why; `<3.14`: before that Python only, `>=3.14`: from it on. Wrong answers cannot be
# listed here.
"""


def run(arguments: list[str]) -> list[dict]:
    """Run pytest without the list; one record for each test."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.jsonl")
        env = os.environ | {"XLAPY_SEMANTICS_PENDING": "0", "XLAPY_SEMANTICS_REPORT": str(report)}
        command = [sys.executable, "-m", "pytest", "-q", "--tb=no", "-rN", str(HERE), *arguments]
        subprocess.run(command, env=env, check=False)
        lines = report.read_text().splitlines() if report.exists() else []
    return [json.loads(line) for line in lines]


def how_it_fails(record: dict) -> str | None:
    """The word for pending.txt, or None for a failure that must not be listed."""
    return next((HOW[name] for name in record["error"] if name in HOW), None)


def main(arguments: list[str]) -> int:
    records = run(arguments)
    if not records:
        print("no test ran; pending.txt is left as it is")
        return 2
    failed = [record for record in records if record["outcome"] == "failed"]
    listed = sorted((record["id"], how_it_fails(record)) for record in failed if how_it_fails(record))
    unlisted = [record for record in failed if not how_it_fails(record)]
    PENDING.write_text(HEADER + "".join(f"{how} {name}\n" for name, how in listed))
    counts = collections.Counter(how for _, how in listed)
    print(f"{len(records)} programs: {len(records) - len(failed)} right, {dict(counts)}, {len(unlisted)} WRONG")
    for record in unlisted:
        print(f"  {record['error'][0]} {record['id']}: {record['message'][:300]}")
    return 1 if unlisted else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
