"""Instruction counts of compiled programs, read from their printed form: the paper's figure 3.

*entry* counts the instructions of the entry computation (of StableHLO: the operations directly in `@main`); *total*
counts those of all computations (all functions, with the regions inside operations)."""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

HEADER = re.compile(r"^(ENTRY\s+)?%?[\w.\-]+\s*\(.*->.*\{\s*$|^(ENTRY\s+)?%?[\w.\-]+\s*\{\s*$")
INSTRUCTION = re.compile(r"^\s*(?:ROOT\s+)?%?[\w.\-]+\s*=\s*")
OPCODE = re.compile(r"\s*([a-z][a-z0-9\-]*)\(")
MLIR_OPERATION = re.compile(
    r'^\s*(?:%[\w:#, %]+=\s*)?"?((?:stablehlo|func|chlo|mhlo|sdy)\.[\w.]+|call|return)"?[\s(<:]'
)
MLIR_FUNCTION = re.compile(r"^\s*func\.func\s+(?:public\s+|private\s+)?@([\w.\"\-]+)")


@dataclass(frozen=True)
class Counts:
    """How often each opcode stands in the entry, and in the whole program."""

    entry: Counter[str]
    total: Counter[str]
    computations: int

    def to_json(self) -> dict[str, Any]:
        return {
            "entry": dict(self.entry.most_common()),
            "total": dict(self.total.most_common()),
            "entry_sum": sum(self.entry.values()),
            "total_sum": sum(self.total.values()),
            "computations": self.computations,
        }


def opcode_of(line: str) -> str | None:
    """The opcode of one line of HLO text, or None for a line that is no instruction.

    >>> opcode_of("  ROOT %t = (f32[2]{0}, s32[]) tuple(%a, %b)")
    'tuple'
    """
    named = INSTRUCTION.match(line)
    if named is None:
        return None
    rest = line[named.end() :]
    if rest.startswith("("):  # a tuple's type, which may hold parentheses of its own: skip to its end
        depth = 0
        for i, character in enumerate(rest):
            depth += (character == "(") - (character == ")")
            if depth == 0:
                rest = rest[i + 1 :]
                break
    else:
        rest = rest.partition(" ")[2]
    found = OPCODE.match(rest)
    return found.group(1) if found else None


def count_hlo(text: str) -> Counts:
    """Counts of a module in HLO text, such as `compiled.as_text()`. Raises ValueError where it holds no entry."""
    entry, total = Counter[str](), Counter[str]()
    computations, inside, in_entry = 0, False, False
    for line in text.splitlines():
        if not inside:
            if not line.startswith(("HloModule", "//", " ")) and HEADER.match(line):
                inside, in_entry = True, line.startswith("ENTRY")
                computations += 1
            continue
        if line.startswith("}"):
            inside = False
            continue
        opcode = opcode_of(line)
        if opcode is not None:
            total[opcode] += 1
            if in_entry:
                entry[opcode] += 1
    if not entry:
        raise ValueError("no ENTRY computation: is this HLO text?")
    return Counts(entry, total, computations)


def count_stablehlo(text: str) -> Counts:
    """Counts of a module in StableHLO's printed form, such as `lowered.as_text()`. Raises ValueError without
    `@main`."""
    entry, total = Counter[str](), Counter[str]()
    functions, current, depth, opened_at = 0, "", 0, 0
    for line in text.splitlines():
        code = strip_strings(line)
        function = MLIR_FUNCTION.match(code)
        if function is not None:
            functions += 1
            current, opened_at = function.group(1), depth + 1
        elif (operation := MLIR_OPERATION.match(line)) is not None and current:
            name = operation.group(1).rpartition(".")[2]
            total[name] += 1
            if current == "main" and depth == opened_at:
                entry[name] += 1
        depth += code.count("{") - code.count("}")
    if not entry:
        raise ValueError("no function @main: is this StableHLO text?")
    return Counts(entry, total, functions)


def strip_strings(line: str) -> str:
    """The line with the insides of its string literals gone, so that braces in them do not count."""
    return re.sub(r'"[^"]*"', '""', line)


def analysis(compiled: Any) -> dict[str, float]:
    """FLOPs, bytes accessed and bytes of memory of a compiled program, as far as its backend tells them."""
    figures: dict[str, float] = {}
    costs = compiled.cost_analysis() or {}
    costs = costs[0] if isinstance(costs, list) else costs
    for name, key in (("flops", "flops"), ("bytes_accessed", "bytes accessed"), ("transcendentals", "transcendentals")):
        if key in costs:
            figures[name] = float(costs[key])
    memory = compiled.memory_analysis()
    for name in ("argument", "output", "temp", "alias", "generated_code"):
        size = getattr(memory, f"{name}_size_in_bytes", None)
        if size is not None:
            figures[f"{name}_bytes"] = float(size)
    return figures


#: Opcodes of scheduled HLO that start no kernel: they name, group or wait for what others do.
NO_KERNEL = frozenset(
    "parameter constant tuple get-tuple-element bitcast after-all partition-id replica-id opt-barrier add-dependency"
    " copy-done async-done async-update all-reduce-done all-gather-done collective-permute-done send-done recv-done"
    " domain".split()
)
#: What is counted for a loop whose number of iterations XLA does not know.
UNKNOWN_TRIPS = 1000
COMPUTATION = re.compile(r"^(ENTRY\s+)?%?([\w.\-]+)\s*(?:\(.*->.*)?\{\s*$")
TRIPS = re.compile(r'"known_trip_count":\{"n":"(\d+)"')
CALLED = re.compile(r"\b(?:to_apply|calls)=%?([\w.\-]+)")
LOOP = re.compile(r"\b(condition|body)=%?([\w.\-]+)")
BRANCHES = re.compile(r"(?:branch_computations=\{([^}]*)\}|(?:true|false)_computation=%?([\w.\-]+))")


@dataclass(frozen=True)
class Launches:
    """What a scheduled program asks of a device: kernels started, and iterations of loops, one after the other."""

    kernels: int
    steps: int

    def __add__(self, other: "Launches") -> "Launches":
        return Launches(self.kernels + other.kernels, self.steps + other.steps)

    def repeated(self, trips: int) -> "Launches":
        """Those of a loop of so many iterations."""
        return Launches(self.kernels * trips, (self.steps + 1) * trips)


def count_launches(text: str) -> Launches:
    """The kernels that a program in scheduled HLO text starts: each operation that is more than a name, times the trip
    counts of the loops around it (`UNKNOWN_TRIPS` where XLA knows none). Of branches the longest counts.

    Raises ValueError where the text holds no entry."""
    computations: dict[str, list[str]] = {}
    entry, lines = "", None
    for line in text.splitlines():
        if lines is not None:
            if line.startswith("}"):
                lines = None
            else:
                lines.append(line)
        elif not line.startswith(("HloModule", "//", " ")) and (header := COMPUTATION.match(line)):
            computations[header.group(2)] = lines = []
            entry = header.group(2) if header.group(1) else entry
    if not entry:
        raise ValueError("no ENTRY computation: is this HLO text?")
    counted: dict[str, Launches] = {}

    def of_computation(name: str) -> Launches:
        if name not in counted:
            counted[name] = sum(map(of_line, computations[name]), Launches(0, 0))
        return counted[name]

    def of_line(line: str) -> Launches:
        opcode = opcode_of(line)
        if opcode is None or opcode in NO_KERNEL:
            return Launches(0, 0)
        if opcode == "while":
            trips = TRIPS.search(line)
            parts = dict(LOOP.findall(line))
            condition, body = of_computation(parts["condition"]), of_computation(parts["body"])
            return (condition + body).repeated(int(trips.group(1)) if trips else UNKNOWN_TRIPS) + condition
        if opcode == "conditional":
            names = [n.strip().lstrip("%") for many, one in BRANCHES.findall(line) for n in (many or one).split(",")]
            return max((of_computation(name) for name in names), key=lambda each: each.kernels)
        if opcode in ("call", "async-start"):
            return of_computation(CALLED.findall(line)[-1])
        return Launches(1, 0)

    return of_computation(entry)
