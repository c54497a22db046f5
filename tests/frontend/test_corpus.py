"""Real code: everything decodes, structures, and walks as its blocks do.

A sample of the files by default; set XLAPY_FULL_CORPUS=1 for all of them (some minutes). Each test prints what it
counted: ``pytest -rP`` or ``-s`` shows it.
"""

import time
from collections import Counter

import pytest

from xlapy.frontend import FrontendError, check, operations
from xlapy.frontend.compile import compiled
from xlapy.frontend.decode import fast_names

from .corpus import codes_of, sources
from .simulate import compare_walks

# The opcodes without a meaning in structured programs. Anything else in the corpus is a defect.
UNSUPPORTED = {
    "RETURN_GENERATOR of an async function",
    "CHECK_EG_MATCH",  # except*
    "BUILD_TEMPLATE",
    "BUILD_INTERPOLATION",
    "GET_AITER",  # asynchronous comprehensions at a module's top level, in test data
    "GET_AWAITABLE",
    "BEFORE_ASYNC_WITH",
    "LOAD_SPECIAL 2",
    "LOAD_SPECIAL 3",
}
WALKS = 4


@pytest.mark.parametrize("name", sorted(sources()))
def test_every_function_is_structured_and_walks_as_its_blocks_do(name):
    count = instructions = 0
    seconds = 0.0
    unsupported = Counter()
    failures = []
    for code in codes_of(sources()[name]):
        start = time.process_time()
        try:
            program = compiled(code)
        except FrontendError as error:
            failures.append(str(error))
            continue
        seconds += time.process_time() - start
        count += 1
        instructions += program.instructions
        check(program)
        assert program.register_names[: len(fast_names(code))] == fast_names(code)
        unsupported.update({op.imm for op in operations(program.body) if op.kind == "unsupported"})
        failures.extend(compare_walks(program, WALKS))
    print(
        f"{name}: {count} code objects, {instructions} instructions, {seconds / max(instructions, 1) * 1e6:.1f} us each"
    )
    print(f"unsupported, by code objects: {dict(unsupported)}")
    assert not failures, f"{len(failures)} failures, the first ones: {failures[:5]}"
    assert set(unsupported) <= UNSUPPORTED


def test_names_of_fast_locals_are_cpythons():
    for code in codes_of(sources()["stdlib"] / "email"):
        names = fast_names(code)
        assert tuple(code._varname_from_oparg(n) for n in range(len(names))) == names
        with pytest.raises(IndexError):
            code._varname_from_oparg(len(names))
