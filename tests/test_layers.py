"""The layers of DESIGN.md, checked on the source: imports only go forward, none hides in a function."""

import ast
import functools
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "xlapy"

# What each layer may import, besides itself and the world outside xlapy.
ALLOWED = {
    "__init__": {"api", "device", "differentiate", "numba", "report", "verification"},
    "__main__": {"command_line"},
    "command_line": {"api", "report", "stored"},
    "device": {"api", "domain", "report"},
    "numba": {"api"},
    "differentiate": {"api", "dispatch", "domain"},
    "api": {"report", "runtime", "domain", "verification"},
    "verification": {"report"},
    "compiler": {"runtime", "interpreter", "dispatch", "domain"},
    "runtime": {"interpreter", "lowering", "machine_code", "passes", "stored", "ir", "domain", "report", "frontend"},
    "interpreter": {"frontend", "domain", "dispatch", "ir", "report"},
    # rules for JAX's transformations clean and evaluate compiled regions inside JAX's functions
    "dispatch": {"library", "lowering", "passes", "domain", "ir", "report"},
    "domain": {"ir", "report"},
    "passes": {"ir", "report"},
    "lowering": {"ir", "machine_code", "report"},
    "machine_code": set(),
    # programs on disk
    "stored": {"domain", "machine_code"},
    "ir": {"report"},
    "frontend": {"report"},
    "report": set(),
    "library": set(),
    "immutable": set(),
    # plain Python that the interpreter inlines
}
# What every layer may import.
EVERYWHERE = {"immutable"}
# The only file that may import in a function, and what: the compiler, when it is first needed.
ON_DEMAND = {("runtime/on_demand.py", f"xlapy.{name}") for name in ("compiler", "runtime.stored_programs")}
# The only file that may name JAX's private modules.
JAX_PRIVATE = {"runtime/jax_internals.py"}

# Sub-folders of dispatch that import each other. The list may only get shorter: a pair that is not in it fails, and so
# does one that is in it and is no more.
MUTUAL = {
    ("arrays", "numpy"),
    ("arrays", "python"),
    ("bounded", "numpy"),
    ("bounded", "python"),
    ("numbers", "numpy"),
}

# What each folder of lowering, and each file that lies directly in it, may import of the others.
LOWERING = {
    "jaxprs": set(),
    "primitives": {"jaxprs"},
    "numeric": {"jaxprs", "primitives"},
    "loop_derivatives": {"jaxprs", "primitives"},
    "matmul_precision": set(),
    "thresholds": set(),
    "hoisted_products": {"jaxprs", "primitives"},
    "lowering_rules": {"hoisted_products", "jaxprs", "numeric"},
    "vectorised_loops": {"jaxprs", "primitives"},
    "windowed_sums": {"lowering_rules"},
    # the backends: the machine code that LLVM generates is a part of programs of XLA's on CPUs, too
    "llvm": {"hoisted_products", "jaxprs", "lowering_rules", "primitives", "vectorised_loops"},
    "cpu_xla": {"jaxprs", "llvm", "primitives", "vectorised_loops", "windowed_sums"},
    "nvptx": {"llvm", "vectorised_loops"},
    "tpu": {"jaxprs"},
    "evaluate": {"cpu_xla", "jaxprs", "llvm", "loop_derivatives", "lowering_rules", "nvptx", "tpu"}
    | {"vectorised_loops", "windowed_sums"},
}
# What is imported of these backends from outside of lowering comes through their doors, the packages.
DOORS = {"llvm", "nvptx", "tpu"}

# Files of a folder that import each other in a circle when they are read. The list may only get shorter.
CIRCLES = {
    "domain": set(),
    "interpreter": {
        "array_growth",
        "calls",
        "classes",
        "generator_stepping",
        "generators",
        "loop_emission",
        "loop_fixpoint",
        "loops",
        "merge",
        "variables",
        "walk",
    },
}

FILES = sorted(PACKAGE.rglob("*.py"))


def layer_of(path: Path) -> str:
    """The first folder under xlapy/, or the file's own name for one that lies directly in it."""
    parts = path.relative_to(PACKAGE).parts
    return parts[0].removesuffix(".py")


def imported_modules(node: ast.AST, path: Path) -> list[str]:
    """Absolute dotted names that one import statement binds or reads; empty for any other node."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:
        package = ("xlapy", *path.relative_to(PACKAGE).parent.parts)
        base = ".".join((*package[: len(package) - node.level + 1], *filter(None, [node.module])))
    return [f"{base}.{alias.name}" for alias in node.names]


def dotted(node: ast.AST) -> str | None:
    """`a.b` for an attribute of a name, and the name itself; None for any other node."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else None


@functools.cache
def nodes_of(path: Path) -> list[tuple[ast.AST, bool]]:
    """What a file imports, and its attributes of names, each with whether it is in a function; without the bodies of
    `if TYPE_CHECKING:`, which never run."""
    found: list[tuple[ast.AST, bool]] = []
    todo: list[tuple[ast.AST, bool]] = [(ast.parse(path.read_text(), str(path)), False)]
    while todo:
        node, inside = todo.pop()
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Attribute):
            found.append((node, inside))
        if isinstance(node, ast.If) and dotted(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            todo += [(child, inside) for child in node.orelse]
            continue
        inside |= isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        todo += [(child, inside) for child in ast.iter_child_nodes(node)]
    return found


def imports_of(path: Path) -> set[str]:
    """The modules that a file imports where it runs."""
    return {module for node, _ in nodes_of(path) for module in imported_modules(node, path)}


def complaints(path: Path) -> list[str]:
    """Every breach of the layering in one file, as 'file:line: what'."""
    relative = path.relative_to(PACKAGE).as_posix()
    layer = layer_of(path)
    found = []

    def say(node: ast.AST, what: str) -> None:
        found.append(f"xlapy/{relative}:{getattr(node, 'lineno', 0)}: {what}")

    for node, inside in nodes_of(path):
        for module in imported_modules(node, path):
            if (relative, module) in ON_DEMAND:
                continue
            if inside:
                say(node, "import inside a function")
            if module.startswith("jax._src") and relative not in JAX_PRIVATE:
                say(node, f"private module {module}")
            target = module.split(".")
            if target[0] != "xlapy" or len(target) < 2 or not layer_exists(target[1]):
                continue
            if target[1] != layer and target[1] not in ALLOWED.get(layer, set()) | EVERYWHERE:
                say(node, f"{layer} may not import {target[1]}")
        if dotted(node) == "sys.version_info" and layer != "frontend":
            say(node, "sys.version_info outside xlapy/frontend")
        if dotted(node) == "jax._src" and relative not in JAX_PRIVATE:
            say(node, "private module jax._src")
    return found


def layer_exists(name: str) -> bool:
    """Whether xlapy.<name> is a module or package here, rather than a name defined in xlapy/__init__.py."""
    return (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()


def imports_between_folders(folder: Path) -> dict[tuple[str, str], list[str]]:
    """Which sub-folders of `folder` import which, each with the files that do, by their places in `folder`."""
    names = {path.name for path in folder.iterdir() if path.is_dir()}
    found: dict[tuple[str, str], list[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        own = path.relative_to(folder).parts[0]
        if own not in names:
            continue
        imported = imports_of(path)
        prefix = ".".join(("xlapy", *folder.relative_to(PACKAGE).parts)) + "."
        others = {m.removeprefix(prefix).split(".")[0] for m in imported if m.startswith(prefix)} & names - {own}
        for other in others:
            found.setdefault((own, other), []).append(path.relative_to(folder).as_posix())
    return found


def test_no_more_folders_of_dispatch_import_each_other():
    imports = imports_between_folders(PACKAGE / "dispatch")
    mutual = {(a, b) for a, b in imports if a < b and (b, a) in imports}
    new = {pair: (imports[pair], imports[pair[::-1]]) for pair in mutual - MUTUAL}
    assert not new, f"folders of dispatch that import each other now: {new}"
    assert not MUTUAL - mutual, f"these import each other no more, take them off the list: {MUTUAL - mutual}"


def test_folders_of_lowering_import_what_the_table_says():
    imports: dict[str, set[str]] = {}
    for path in FILES:
        if layer_of(path) != "lowering":
            continue
        own = path.relative_to(PACKAGE / "lowering").parts[0].removesuffix(".py")
        modules = {module for node in ast.walk(ast.parse(path.read_text())) for module in imported_modules(node, path)}
        others = {m.split(".")[2] for m in modules if m.startswith("xlapy.lowering.")} - {own, "thresholds"}
        imports.setdefault(own, set()).update(others)
    assert {own: others for own, others in imports.items() if own != "__init__"} == LOWERING


def test_backends_of_lowering_are_entered_by_their_doors():
    for path in FILES:
        modules = imports_of(path)
        inside = {m for m in modules for door in DOORS if m.startswith(f"xlapy.lowering.{door}.") and m.count(".") > 3}
        assert not inside or layer_of(path) == "lowering", (path, inside)


def circular(folder: Path) -> set[str]:
    """The files of a folder from which a chain of imports leads back to them, by their names in the folder."""
    prefix = ".".join(("xlapy", *folder.relative_to(PACKAGE).parts)) + "."
    imports: dict[str, set[str]] = {}
    for path in folder.glob("*.py"):
        modules = imports_of(path)
        imports[path.stem] = {m.removeprefix(prefix).split(".")[0] for m in modules if m.startswith(prefix)}

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        todo = [*imports[start]]
        while todo:
            name = todo.pop()
            if name in imports and name not in seen:
                seen.add(name)
                todo += imports[name]
        return seen

    return {name for name in imports if name in reached(name)}


@pytest.mark.parametrize("folder", CIRCLES)
def test_no_more_files_import_each_other_in_a_circle(folder):
    files = circular(PACKAGE / folder)
    assert not files - CIRCLES[folder], f"these import each other in a circle now: {files - CIRCLES[folder]}"
    gone = CIRCLES[folder] - files
    assert not gone, f"these are in no circle any more, take them off the list: {gone}"


def test_circular(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path / "xlapy")
    folder = tmp_path / "xlapy" / "domain"
    folder.mkdir(parents=True)
    for name, source in {
        "a": "from xlapy.domain import b",
        "b": "from xlapy.domain.c import f",
        "c": "from . import a",
        "d": "from xlapy.domain import a",
        "e": "if TYPE_CHECKING:\n    from xlapy.domain import f",
        "f": "from xlapy.domain import e",
    }.items():
        (folder / f"{name}.py").write_text(source)
    assert circular(folder) == {"a", "b", "c"}


def test_every_layer_is_in_the_table():
    assert {layer_of(path) for path in FILES} <= set(ALLOWED)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_only_go_forward(path):
    assert complaints(path) == []


@pytest.mark.parametrize(
    ("where", "source", "expected"),
    [
        ("ir/types.py", "from xlapy.lowering import emit", ["ir may not import lowering"]),
        ("ir/types.py", "from ..lowering.emit import f", ["ir may not import lowering"]),
        ("ir/types.py", "from . import builder\nimport numpy", []),
        ("ir/types.py", "def f():\n    import os", ["import inside a function"]),
        ("runtime/on_demand.py", "def f():\n    from xlapy import compiler", []),
        ("runtime/on_demand.py", "def f():\n    import os", ["import inside a function"]),
        ("runtime/cache.py", "from xlapy import compiler", ["runtime may not import compiler"]),
        ("ir/types.py", "import sys\nx = sys.version_info", ["sys.version_info outside xlapy/frontend"]),
        ("frontend/decode.py", "import sys\nx = sys.version_info", []),
        ("ir/types.py", "from jax._src import core", ["private module jax._src.core"]),
        ("runtime/jax_internals.py", "from jax._src import core", []),
        ("interpreter/walk.py", "from xlapy import runtime", ["interpreter may not import runtime"]),
        ("domain/x.py", "if TYPE_CHECKING:\n    from xlapy.interpreter import machine", []),
        ("domain/x.py", "if TYPE_CHECKING:\n    pass\nelse:\n    from xlapy import api", ["domain may not import api"]),
    ],
)
def test_the_checker_itself(tmp_path, monkeypatch, where, source, expected):
    package = tmp_path / "xlapy"
    for layer in ALLOWED:
        (package / layer).mkdir(parents=True)
    file = package / where
    file.write_text(source)
    monkeypatch.setitem(globals(), "PACKAGE", package)
    assert [line.split(": ", 1)[1] for line in complaints(file)] == expected


def test_imports_between_folders(tmp_path, monkeypatch):
    monkeypatch.setitem(globals(), "PACKAGE", tmp_path / "xlapy")
    folder = tmp_path / "xlapy" / "dispatch"
    for name, source in {
        "a/x.py": "from xlapy.dispatch.b import y\nfrom xlapy.dispatch import registry",
        "a/z.py": "if TYPE_CHECKING:\n    from xlapy.dispatch.c import w",
        "b/y.py": "from ..a.x import f",
        "c/w.py": "from xlapy.dispatch.c import v",
        "registry.py": "from xlapy.dispatch.a import x",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(source)
    assert imports_between_folders(folder) == {("a", "b"): ["a/x.py"], ("b", "a"): ["b/y.py"]}
