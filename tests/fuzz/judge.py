"""Is a generated program right, refused, or neither?"""

from __future__ import annotations

import dataclasses
import re
import traceback

from tests.semantics import runner

from .programs import Generated, load


@dataclasses.dataclass(frozen=True)
class Verdict:
    """`kind` is right, refused, crash, wrong or text; `reason` is what similar cases have in common.

    text is a TypeError as in CPython whose text differs: programs are written without regard to types, and what CPython
    says of `5 > Cell()` is in no specification.
    """

    kind: str
    reason: str = ""
    message: str = ""


def steps_of(program: Generated, module) -> tuple[list, type | None]:
    """The calls; the first that raises and has changed something is the last. And what they raise."""
    steps = [runner.Call(eval(f"({call})", vars(module))) for call in program.calls]
    slots = runner.world_of(module.program, steps)
    outcomes: list[runner.Outcome] = []
    runner.run_all(module.program, steps, slots, lambda f: f, outcomes)
    for number, outcome in enumerate(outcomes[: len(steps)]):
        if outcome.error is not None and not runner.same(outcome.before, outcome.state):
            steps = steps[: number + 1]
            break
    raises = any(outcome.error is not None for outcome in outcomes[: len(steps)])
    return steps, Exception if raises else None


def judge(program: Generated) -> Verdict:
    """Run a program in CPython and through xlapy."""
    module = load(program.text)
    steps, raises = steps_of(program, module)
    try:
        runner.check(module.program, calls=steps, rtol=program.rtol, raises=raises)
    except runner.SilentlyWrong as error:
        other_text = isinstance(error.__cause__, TypeError) and ": message " in str(error)
        return Verdict("text" if other_text else "wrong", _common(str(error)), str(error))
    except runner.CompilerCrash as error:
        frames = traceback.extract_tb(error.__cause__.__traceback__) if error.__cause__ else []
        place = ", ".join(f"{frame.filename.rpartition('xlapy/')[2]}:{frame.lineno}" for frame in frames[-4:])
        return Verdict("crash", _common(str(error)), f"{error} (at {place})")
    except Exception as error:
        if not runner.is_refusal(error):
            raise
        blocker = error.blockers[0]
        return Verdict("refused", f"{blocker.code} {_common(blocker.message)}", str(error))
    return Verdict("right")


def _common(message: str) -> str:
    """A message without its numbers and names."""
    message = re.sub(r"'[^']*'", "'...'", message.split("\n")[0])
    return re.sub(r"-?\d+(\.\d+)?", "N", message)[:160]
