"""Programs on disk: what another process finds there is used if nothing has changed, and never otherwise.

Another process is stood for by modules that are executed anew: all functions, classes and code objects in them are
others. That the compiler is not even imported is looked at in processes of their own.
"""

import builtins
import contextlib
import copy
import math
import os
import subprocess
import sys
import types
import warnings

import jax
import numpy as np
import pytest

import xlapy
from xlapy.command_line import main
from xlapy.machine_code import images
from xlapy.runtime import stored_programs
from xlapy.stored import folder, surroundings

pytestmark = pytest.mark.skipif(
    not images.is_possible() or jax.default_backend() != "cpu" or jax.device_count() > 1,
    reason="programs are kept for one CPU with Linux on x86-64",
)
X, Y = np.linspace(-1.0, 2.0, 12), np.arange(12.0)[::-1].copy()
HELPER = """
import enum
import numpy as np
FACTOR = 3.0
def scaled(x, by=2.0, *, shift=0.5):
    return x * by + shift
def plain(x):
    return x
class Mode(enum.Enum):
    SLOW = 1
    FAST = 2
    @property
    def speed(self):
        return self.value * 10.0
class Base:
    gain = 1.5
    def apply(self, x):
        return x * self.gain
"""
HEAD = """
import math
import typing
import dataclasses
import numpy as np
import disk_cache_helper as helper
from disk_cache_helper import Base, Mode, scaled
OFFSET = 1.0
TABLE = (1, 2.5, -0.0)
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A folder for each test."""
    monkeypatch.setenv("XLAPY_CACHE", "1")
    monkeypatch.setenv("XLAPY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(stored_programs, "_REASON", [])
    monkeypatch.setattr(stored_programs, "_CALLS", {})
    yield tmp_path / "cache"
    sys.modules.pop("disk_cache_helper", None)
    sys.modules.pop("disk_cache_program", None)


def made_anew(source: str, edit: tuple[str, str] | None = None) -> types.ModuleType:
    """The modules of another process, in which a text was replaced."""
    for name, text in (("disk_cache_helper", HELPER), ("disk_cache_program", HEAD + source)):
        if edit is not None and edit[0] in text:
            text, edit = text.replace(*edit), None
        module = sys.modules[name] = types.ModuleType(name)
        exec(compile(text, f"{name}.py", "exec"), module.__dict__)
    assert edit is None, "nothing to replace"
    return sys.modules["disk_cache_program"]


def outcome(function, arguments: tuple) -> tuple:
    """What a call returns or raises, with types, and what has become of its arguments."""
    own = copy.deepcopy(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            found = described(function(*own))
        except Exception as error:
            found = (type(error), error.args)
    return found, described(own)


def described(value):
    if isinstance(value, np.ndarray | np.generic):
        return type(value), value.dtype.str, value.shape, np.asarray(value).round(12).tolist()
    if isinstance(value, tuple | list):
        return type(value), [described(part) for part in value]
    return type(value), round(value, 12) if isinstance(value, float) else value


def compiled_in(module: types.ModuleType, *calls: tuple) -> int:
    """How many programs are compiled for some calls, each of which does what it does in CPython."""
    jitted = xlapy.jit(module.f)
    for arguments in calls:
        assert outcome(jitted, arguments) == outcome(module.f, arguments)
    return jitted.cache_info().misses


PROGRAMS = {
    "a number": ("def f(x):\n    t = 0.0\n    for v in x:\n        t += v * OFFSET\n    return t", [(X,)]),
    "several results": ("def f(x, k, n):\n    return x * k, n + 1, x.sum(), (k, x > 0)", [(X, 2.5, 3), (Y, 0.5, -4)]),
    "an argument": ("def f(x, y):\n    for i in range(1, len(x)):\n        x[i] += y[i - 1]", [(X, Y), (Y, X)]),
    "an argument that is returned": ("def f(x):\n    x += OFFSET\n    return x", [(X,)]),
    "truth": ("def f(a, b, c):\n    return a and not b, c * 2, a + 1", [(True, False, 1j)]),
    "a known number": ("def f(x, n):\n    return x.reshape(n, -1).sum(0)", [(X, 3), (X, 4)]),
    "an error": ("def f(x, i):\n    t = 0.0\n    for v in x:\n        t += v\n    return t / x[i]", [(X, 3), (X, 99)]),
    "few elements": (
        "def f(x, y):\n    t = 0.0\n    for v in x:\n        for w in y:\n            t += v * w\n    return t, x * 2",
        [(X[:1], X), (X[:2], X)],
    ),
    "a strided array": ("def f(x):\n    return np.sqrt(x * x + OFFSET)", [(X[::2],), (X[::-2],), (np.arange(6),)]),
    "a table": ("def f(i):\n    return [5.0, 7.0, 11.0, 13.0][i] + math.sin(i)", [(2,), (0,)]),
    "a known array": (
        "def f(x):\n    w = np.array([2.0, 3.0, 5.0] * 40)\n    t = 0.0\n    for i in range(len(x)):\n"
        "        t += x[i] * w[int(x[i] * 10) % 120]\n    return t",
        [(X,)],
    ),
    "an int beyond 64 bits": ("def f(n):\n    return n", [(3,), (10**25,), (-5,)]),
    "a length": ("def f(x):\n    return x[x > 0.5]", [(X,), (X - 5,)]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_another_process_compiles_nothing(name):
    source, calls = PROGRAMS[name]
    first = compiled_in(made_anew(source), *calls)
    met_error = name == "an error"
    assert (
        first and compiled_in(made_anew(source), *calls) == met_error
    )  # an exception is told by the compiler's program


CLOSURE = (
    "def make(k):\n    def inner(x):\n        return x * k\n    def f(x):\n        return inner(x) + 1.0\n    return f"
)
CLASSES = """
class Body(Base):
    scale = 2.0
    def __init__(self, x):
        self.x = x
    def step(self, by=0.25):
        self.x = self.apply(self.x) + by * self.scale
def f(x):
    body = Body(x)
    body.step()
    return body.x
"""
DATA = """
@dataclasses.dataclass
class Point:
    x: float
    y: float = 2.0
class Pair(typing.NamedTuple):
    a: float
    b: float = 3.0
def f(x):
    point, pair = Point(x), Pair(x)
    return point.x * point.y + pair.b
"""
#: a program, its calls, and edits after which it must be compiled again
EDITS = {
    "its code": ("def f(x):\n    return x + 1.0", ("+ 1.0", "+ 2.0")),
    "a constant's type": ("def f(x):\n    return x, 1", (", 1", ", 1.0")),
    "a constant's sign": ("def f(x):\n    return x * 0.0, 0.0", (", 0.0", ", -0.0")),
    "a global": ("def f(x):\n    return x * OFFSET", ("OFFSET = 1.0", "OFFSET = 4.0")),
    "a global's type": ("def f(x):\n    return x, OFFSET", ("OFFSET = 1.0", "OFFSET = 1")),
    "a global tuple": ("def f(x):\n    return x + TABLE[1], TABLE[2]", ("-0.0", "0.0")),
    "a function's code": ("def f(x):\n    return scaled(x)", ("x * by + shift", "x / by + shift")),
    "a default": ("def f(x):\n    return scaled(x)", ("by=2.0", "by=3.0")),
    "a keyword's default": ("def f(x):\n    return scaled(x)", ("shift=0.5", "shift=0.75")),
    "another function": ("def f(x):\n    return helper.plain(x) + 1", ("    return x\n", "    return x * 2\n")),
    "a module's global": ("def f(x):\n    return x * helper.FACTOR", ("FACTOR = 3.0", "FACTOR = 3.5")),
    "its default": ("def f(x, k=2.0):\n    return x * k", ("k=2.0", "k=3.0")),
    "a cell": (f"{CLOSURE}\nf = make(2.0)", ("make(2.0)", "make(5.0)")),
    "a function in a cell": (f"{CLOSURE}\nf = make(2.0)", ("return x * k", "return x - k")),
    "a method": (CLASSES, ("by * self.scale", "by - self.scale")),
    "a method's default": (CLASSES, ("by=0.25", "by=0.5")),
    "a method of a base": (CLASSES, ("x * self.gain", "x + self.gain")),
    "an attribute of a class": (CLASSES, ("scale = 2.0", "scale = 2.5")),
    "an attribute of a base": (CLASSES, ("gain = 1.5", "gain = 2.5")),
    "a base": (CLASSES, ("class Body(Base):", "class Body:\n    gain = 4.0\n    apply = Base.apply")),
    "a new attribute": (CLASSES, ("    scale = 2.0", "    scale = 2.0\n    gain = 7.0")),
    "a special method": (CLASSES, ("    scale = 2.0", "    scale = 2.0\n    __getattr__ = lambda self, name: 1.0")),
    "a field": (DATA, ("y: float = 2.0", "y: float = 5.0")),
    "a named tuple's default": (DATA, ("b: float = 3.0", "b: float = 5.0")),
    "a member": ("def f(x):\n    return x * Mode.FAST.value", ("FAST = 2", "FAST = 4")),
    "a member's property": ("def f(x):\n    return x * Mode.FAST.speed", ("* 10.0", "* 100.0")),
    "a lambda": ("g = lambda x: x - 1.0\ndef f(x):\n    return g(x)", ("x - 1.0", "x + 1.0")),
    "a compiled function": (
        "import xlapy\n@xlapy.jit\ndef g(x):\n    return x - 1.0\ndef f(x):\n    return g(x)",
        ("x - 1", "x + 1"),
    ),
    "a name that hides a builtin": ("def f(x):\n    return max(x, 1.0)", ("OFFSET = 1.0", "max = lambda a, b: a - b")),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_what_was_edited_is_compiled_again(name):
    source, edit = EDITS[name]
    call = (1.75,)
    assert compiled_in(made_anew(source), call) == 1
    assert compiled_in(made_anew(source), call) == 0
    # A default of the compiled function itself is an argument of the call.
    assert compiled_in(made_anew(source, edit), call) == (name != "its default")
    assert compiled_in(made_anew(source, edit), call) == 0
    assert compiled_in(made_anew(source), call) == 0


def test_objects_of_the_callers(place):
    source = CLASSES + "\ndef f(body, by):\n    return body.apply(by) + body.x\n"

    def compiled(edit=None):
        module = made_anew(source, edit)
        jitted, body = xlapy.jit(module.f), module.Body(3.0)
        assert jitted(body, 2.0) == module.f(body, 2.0)
        return jitted, module

    assert compiled()[0].cache_info().misses == 1
    jitted, module = compiled()
    assert jitted.cache_info() == (1, 0, None, 1)
    # From now on it is as in the process that has compiled it.
    module.Base.gain = -4.0
    body = module.Body(1.0)
    assert jitted(body, 2.0) == module.f(body, 2.0) and jitted.cache_info().misses == 1
    assert compiled(("x * self.gain", "x - self.gain"))[0].cache_info().misses == 1


def test_functions_that_are_made_anew():
    source = "def f(g, x):\n    return g(x) + 1.0\ndef make(k):\n    return lambda x: x * k"
    for misses in (1, 0):
        module = made_anew(source)
        jitted = xlapy.jit(module.f)
        assert [jitted(module.make(2.0), 3.0) for _ in range(3)] == [7.0] * 3
        assert jitted.cache_info().misses == misses
        assert jitted(module.make(5.0), 3.0) == 16.0 and jitted(lambda x: x, 3.0) == 4.0


def test_random_numbers():
    source = "def f(rng, n):\n    t = 0.0\n    for _ in range(n):\n        t += rng.random()\n    return t"
    drawn = []
    for misses in (1, 0):
        jitted, rng = xlapy.jit(made_anew(source).f), np.random.default_rng(5)
        drawn.append([jitted(rng, 3), jitted(rng, 4), rng.random()])
        assert jitted.cache_info().misses == misses
    assert drawn[0] == drawn[1] and len(set(drawn[0])) == 3


def test_replaced_functions_of_libraries(monkeypatch):
    source = "def f(x):\n    return np.tan(x) + math.erf(0.5) + divmod(x[2], 0.25)[0] + np.euler_gamma"
    assert [compiled_in(made_anew(source), (X,)) for _ in range(2)] == [1, 0]
    for module, name in ((np, "tan"), (math, "erf"), (builtins, "divmod")):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, lambda *args, real=getattr(module, name): real(*args) * 100)
            jitted = xlapy.jit(made_anew(source).f)
            with contextlib.suppress(TypeError):  # of a tuple times 100
                jitted(X)
            assert jitted.cache_info().hits == 0, name
    monkeypatch.setattr(np, "euler_gamma", 0.5)
    assert compiled_in(made_anew(source), (X,)) == 1
    monkeypatch.undo()


def test_modules_that_are_imported_in_the_function():
    source = "def f(x):\n    import disk_cache_helper\n    import colorsys\n    return x * 2"
    assert [compiled_in(made_anew(source), (X,)) for _ in range(2)] == [1, 0]
    sys.modules.pop("colorsys")
    jitted = xlapy.jit(made_anew(source).f)
    assert jitted(1.0) == 2.0 and "colorsys" in sys.modules and jitted.cache_info().misses == 1


@pytest.mark.parametrize("what", ["numpy", "setting", "processors", "option"])
def test_other_surroundings(what, monkeypatch):
    source = "def f(x):\n    return np.cumsum(x) * 2"
    assert [compiled_in(made_anew(source), (X,)) for _ in range(2)] == [1, 0]
    match what:
        case "numpy":
            monkeypatch.setattr(np, "__version__", "2.99.0")
        case "setting":
            monkeypatch.setenv("XLAPY_SOMETHING", "1")
        case "processors":
            monkeypatch.setattr(surroundings, "_processors", lambda: 77)
    if what == "option":
        jitted = xlapy.jit(made_anew(source).f, returns="jax")
        assert isinstance(jitted(X), jax.Array) and jitted.cache_info().misses == 1
    else:
        assert compiled_in(made_anew(source), (X,)) == 1


def test_an_overload_ends_it():
    source = "def f(x):\n    return np.cumsum(x) * 2"
    assert compiled_in(made_anew(source), (X,)) == 1
    jitted = xlapy.jit(made_anew(source).f)
    assert jitted(X)[0] == -2.0 and jitted.cache_info().misses == 0
    stored_programs.switch_off("a test")
    assert jitted(X)[0] == -2.0 and jitted.cache_info().misses == 1
    assert compiled_in(made_anew(source), (X,)) == 1


@pytest.mark.parametrize(
    "source",
    [
        'def f(x):\n    t = 0.0\n    for name in {"a", "b", "c"}:\n        t = t * 2 + len(name)\n    return x + t',
        'def f(x):\n    return x + hash("a") % 2',
        "def f(x):\n    print(x)\n    return x",
        "def f(x):\n    try:\n        import missing_one\n    except ImportError:\n        return x\n    return x * 2",
        "import numbers\nclass C:\n    pass\nnumbers.Number.register(C)\n"
        "def f(x):\n    return isinstance(C(), numbers.Number) + x",
        "def g(a):\n    return a.value > 1\nclass E(Mode.__base__):\n    A = 1\n    B = 2\n    __bool__ = g\n"
        "def f(x):\n    return x if E.A else x * 2",
    ],
    ids=["the order of a set", "a hash", "a print", "a failing import", "a registration", "code that is run"],
)
def test_what_is_not_kept(source, capsys):
    module = made_anew(source)
    assert xlapy.jit(module.f)(1.0) == module.f(1.0)
    assert folder.info()[0] == 0


def test_damaged_files(place):
    source = "def f(x):\n    return x * 3.0 + 1.0"
    for damage in (lambda b: b[: len(b) // 2], lambda b: b[:-9] + bytes([b[-9] ^ 1]) + b[-8:], lambda b: b""):
        assert compiled_in(made_anew(source), (X,)) == 1
        (path,) = place.glob("*/*.xlapy")
        path.write_bytes(damage(path.read_bytes()))
        assert compiled_in(made_anew(source), (X,)) == 1
        path.unlink(missing_ok=True)


def test_well_formed_nonsense(place):
    source = "def f(x):\n    return x * 3.0 + 1.0"
    assert compiled_in(made_anew(source), (X,)) == 1
    (path,) = place.glob("*/*.xlapy")
    key = path.name.partition("-")[0]
    data, parts = folder.read(str(path))
    path.unlink()
    for change in (
        {"guards": [["open", None, 1]]},
        {"operands": [["Source"]]},
        {"frame": ["eval", "1"]},
        {"table": []},
    ):
        folder.write(key, data | change, parts)
    assert compiled_in(made_anew(source), (X,)) == 1


def test_a_folder_that_others_may_write_to(place):
    source = "def f(x):\n    return x * 3.0 + 1.0"
    assert compiled_in(made_anew(source), (X,)) == 1
    place.chmod(0o777)
    assert compiled_in(made_anew(source), (X,)) == 1
    place.chmod(0o700)
    (path,) = place.glob("*/*.xlapy")
    path.chmod(0o666)
    assert compiled_in(made_anew(source), (X,)) == 1


def test_off(place, monkeypatch):
    monkeypatch.setenv("XLAPY_CACHE", "0")
    assert compiled_in(made_anew("def f(x):\n    return x * 3.0"), (X,)) == 1 and not place.exists()


def test_it_is_bounded(place, monkeypatch):
    for k in range(20):
        path = folder.write(f"{k:064x}", {"k": k}, [bytes(1000)])
        os.utime(path, (k, k))
    monkeypatch.setenv("XLAPY_CACHE_SIZE", "10000")
    folder.evict()
    kept = {path.name[:64] for path in place.glob("*/*.xlapy")}
    assert kept == {f"{k:064x}" for k in range(20 - len(kept), 20)} and 4 <= len(kept) <= 9
    for k in range(30):
        folder.write("a" * 64, {"k": k}, [])
    assert len(folder.names_of("a" * 64)) <= 16


#: the same in a process of its own, for each of the programs at once
PROCESS = """
import sys
import numpy as np
import xlapy

@xlapy.jit
def loop(x):
    t = 0.0
    for v in x:
        t += v if v > 0.5 else 1.0
    return t

@xlapy.jit
def stencil(u, k):
    for i in range(1, len(u) - 1):
        u[i] += k * (u[i - 1] + u[i + 1] - 2 * u[i])
    return u.sum(), u

class Body:
    def __init__(self, x):
        self.x = x
    def step(self):
        self.x += 0.5

@xlapy.jit
def moved(x, n):
    body = Body(x)
    for _ in range(n):
        body.step()
    return body.x

for _ in range(2):
    u = np.linspace(0.0, 1.0, 9)
    assert abs(loop(u) - loop.__wrapped__(u)) < 1e-12
    v = u.copy()
    got, expected = stencil(u, 0.25), stencil.__wrapped__(v, 0.25)
    np.testing.assert_allclose(u, v)
    np.testing.assert_allclose(got[0], expected[0])
    assert got[1] is u and moved(1.0, 3) == 2.5
functions = loop, stencil, moved
print(sum(f.cache_info().misses for f in functions), "xlapy.compiler" in sys.modules, "llvmlite" in sys.modules)
"""


def test_another_process_does_not_import_the_compiler():
    for said in ("3 True True\n", "0 False False\n"):
        done = subprocess.run([sys.executable, "-c", PROCESS], stdout=subprocess.PIPE, text=True)
        assert done.stdout == said


@pytest.mark.filterwarnings("ignore:.*fork")
def test_many_processes_at_once(place, monkeypatch):
    """Each writes, reads, evicts and clears; what is read is whole."""
    monkeypatch.setenv("XLAPY_CACHE_SIZE", "50000")
    keys = [f"{k:064x}" for k in range(4)]

    def work(number: int) -> bool:
        for turn in range(60):
            key = keys[(turn + number) % 4]
            folder.write(key, {"key": key}, [key.encode() * 50])
            for path in folder.names_of(key):
                found = folder.read(path)
                if found is not None and found != ({"key": key}, [key.encode() * 50]):
                    return False
            if turn % 20 == 19:
                folder.evict() if number % 2 else folder.clear()
        return True

    children = []
    for number in range(4):
        child = os.fork()
        if not child:
            os._exit(0 if work(number) else 1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert all(path.suffix == ".xlapy" for path in place.glob("*/*"))


def test_the_command(capsys, place):
    folder.write("a" * 64, {}, [bytes(10)])
    assert main(["cache"]) == 0 and capsys.readouterr().out == f"1 programs, 0.0 MB, in {place}\n"
    assert main(["cache", "clear"]) == 0 and capsys.readouterr().out == f"1 files removed from {place}\n"
    assert folder.info() == (0, 0)
