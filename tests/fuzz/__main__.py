"""A long run: how many programs are right, and for each reason of a refusal how many, with the shortest of them.

python -m tests.fuzz --examples 2000 [--seed 0] [--show 20] [--kinds wrong crash] [--reduce]
    [--arrays | --kernels | --layouts | --recursions]
"""

from __future__ import annotations

import argparse
import collections
import sys
import time
import traceback

from hypothesis import HealthCheck, Phase, given, seed, settings

from .arrays import array_programs
from .judge import Verdict, judge
from .kernels import kernel_programs
from .layouts import layout_programs
from .programs import Generated, programs
from .recursions import recursive_programs
from .reduce import reduced


def same(one: Verdict, other: Verdict) -> bool:
    return (one.kind, one.reason) == (other.kind, other.reason)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--examples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=20, help="how many reasons to show")
    parser.add_argument("--kinds", nargs="+", default=["wrong", "crash", "refused", "text"], help="of which verdicts")
    family = parser.add_mutually_exclusive_group()
    family.add_argument("--arrays", action="store_true", help="programs over arrays: views, writes, dynamic sizes")
    family.add_argument("--kernels", action="store_true", help="loops that change arrays of all layouts in place")
    family.add_argument("--layouts", action="store_true", help="writes through reshape and ravel, in all memory orders")
    family.add_argument(
        "--recursions", action="store_true", help="functions that call themselves as often as data says"
    )
    parser.add_argument("--reduce", action="store_true", help="make what is shown as small as possible")
    options = parser.parse_args()
    families = {
        "arrays": array_programs,
        "kernels": kernel_programs,
        "layouts": layout_programs,
        "recursions": recursive_programs,
    }
    chosen = next((f for name, f in families.items() if getattr(options, name)), programs)
    found: dict[Verdict, list[Generated]] = collections.defaultdict(list)
    count: collections.Counter = collections.Counter()
    start = time.perf_counter()

    @seed(options.seed)
    @settings(
        max_examples=options.examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(chosen())
    def run(program: Generated) -> None:
        try:
            verdict = judge(program)
        except Exception:
            verdict = Verdict("unsound", traceback.format_exc(limit=-1))
        count[verdict.kind] += 1
        if verdict.kind != "right":
            found[Verdict(verdict.kind, verdict.reason)].append((program, verdict.message))
        if verdict.kind in ("wrong", "crash"):
            print(f"{verdict.kind}: {verdict.reason}\n{program}", flush=True)

    run()
    shown = [(v, p) for v, p in found.items() if v.kind in (*options.kinds, "unsound")]
    for verdict, examples in sorted(shown, key=lambda pair: -len(pair[1]))[: options.show][::-1]:
        program, message = min(examples, key=lambda pair: len(pair[0].text))
        if verdict.kind != "unsound" and options.reduce:
            program = reduced(program, lambda p, v=verdict: same(judge(p), v))
            message = judge(program).message
        print(f"\n{'=' * 100}\n{len(examples)} x {verdict.kind}: {verdict.reason}\n{message}\n{program}", flush=True)
    total = sum(count.values())
    print(
        f"\n{total} programs in {time.perf_counter() - start:.0f} s: " + ", ".join(f"{n} {k}" for k, n in count.items())
    )
    return 1 if count["wrong"] or count["crash"] or count["unsound"] else 0


if __name__ == "__main__":
    sys.exit(main())
