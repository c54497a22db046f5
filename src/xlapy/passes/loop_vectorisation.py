"""Loops whose iterations do not need one another become one iteration over vectors: a lane for each iteration.

    for j in range(k + 1, n):
        r[k, j] = q[:, k] @ q[:, j]
        q[:, j] -= r[k, j] * q[:, k]

Each iteration changes one place along one axis of an array, reads of what the loop changes only that place or places
that no iteration changes, and carries nothing else but sums. So all iterations can be made at once, which is what one
writes with `jax.vmap` by hand: products of vectors become products of matrices, columns are read row by row, transforms
are batched. The pass finds such loops and says how (`Lanes`); the lowering (`lowering/vectorised_loops.py`) does it.

Where the number of iterations is known and an index is the number of the iteration plus a constant, there are as many
lanes as iterations. Else the lanes are all places along the axis of the array that is stored into, and those of no
iteration are left as they were.
"""

from __future__ import annotations

from math import prod

from xlapy.ir import Operation, Region, Var, constant_value, every_operation
from xlapy.ir.access_regions import Dimension, touched
from xlapy.ir.affine import affine, difference
from xlapy.ir.vectorisation_notes import Choice, Lanes
from xlapy.passes.costs import is_block_store, is_transform, work, work_in_lanes

#: operations of a body; lanes at least; elements of a value of one lane, and of all lanes
_LONGEST, _FEWEST, _LARGEST, _MOST = 100, 8, 4096, 1 << 20
#: what iterations may do to a value that they carry, in any order
FOLDS = frozenset("add sub mul max min bitwise_and bitwise_or bitwise_xor".split())
_SUMS, _BITS = frozenset(("add", "sub")), frozenset(("bitwise_and", "bitwise_or", "bitwise_xor"))
#: simple operations on elements, in all lanes, from which on it pays (less runs faster as one native function):
#: of loops over rows, and of loops over columns, which are not contiguous
_WORTH_ROWS, _WORTH_COLUMNS = 1 << 20, 1 << 17
#: of loops whose iterations compute numbers: lanes from which on it pays outside of a native function and in one
#: (measured), and numbers in all lanes at most
_FEWEST_ALONE, _FEWEST_INSIDE, _MOST_NUMBERS = 512, 16, 1 << 28


def find_lanes(region: Region, around: tuple[Operation, ...] = ()) -> bool:
    """Set the attribute `lanes` of loops that become one iteration over vectors; whether there were any.

    `around` are the operations that the region is in.
    """
    changed = False
    for operation in region.operations:
        for nested in operation.regions:
            changed |= find_lanes(nested, (*around, operation))
        if operation.kind == "for":
            found = _Iterations(operation, around).lanes()
            if found is not None:
                inside = found.of_numbers and found.count < _FEWEST_ALONE
                operation.attributes = {**operation.attributes, "lanes_inside" if inside else "lanes": found}
                changed = True
    return changed


def plans(region: Region) -> list[tuple[Operation, tuple]]:
    """The loops that may be made at once inside native functions, and what is in them."""
    return [(o, _contents(o)) for o in every_operation(region) if "lanes_inside" in o.attributes]


def drop_outdated(found: list[tuple[Operation, tuple]]) -> None:
    """Forget how the iterations of loops become lanes, where other passes have changed what is in them since
    `plans`."""
    for loop, contents in found:
        if _contents(loop) != contents:
            loop.attributes = {k: v for k, v in loop.attributes.items() if k != "lanes_inside"}


def _contents(loop: Operation) -> tuple:
    (body,) = loop.regions
    return tuple(body.params), tuple(body.results), tuple((o, o.operands) for o in body.operations)


class _Iterations:
    """One loop, and what in it differs from iteration to iteration."""

    def __init__(self, loop: Operation, around: tuple[Operation, ...]) -> None:
        self.loop, self.around = loop, around
        (self.body,) = loop.regions
        self.index = self.body.params[0]
        self.iterations = constant_value(loop.operands[0])
        self.varying: set[Var] = set(self.body.params)
        self.uses: dict[Var, list[Operation]] = {}
        for operation in self.body.operations:
            for operand in dict.fromkeys(operation.operands):
                self.uses.setdefault(operand, []).append(operation)
            if not self.varying.isdisjoint(operation.operands):
                self.varying.update(operation.results)

    def lanes(self) -> Lanes | None:
        """How the iterations become lanes; None if they cannot, or if it is not worth it."""
        if len(self.body.operations) > _LONGEST or (self.iterations is not None and self.iterations < _FEWEST):
            return None
        if any(operation.regions for operation in self.body.operations):
            return None
        stores: dict[int, Operation] = {}
        folds: dict[int, Operation] = {}
        choices: dict[int, Choice] = {}
        for k, (param, result) in enumerate(zip(self.body.params[1:], self.body.results, strict=True)):
            last = result.owner
            if last not in self.uses.get(param, ()) or result in self.uses or self.body.results.count(result) > 1:
                return None
            assert isinstance(last, Operation)
            if last.kind in FOLDS:
                if not self._is_fold(last, param):
                    return None
                folds[k] = last
            elif last.kind == "select":
                choice = self._choice(last, param)
                if choice is None:
                    return None
                choices[k] = choice
            elif is_block_store(last) and touched(last) is not None and last.operands[0] is param:
                stores[k] = last
            else:
                return None
        if not (stores or folds or choices) or not self._are_decided(choices):
            return None
        return self._framed(Lanes(stores, folds, choices, {}, None, 0))

    def _is_fold(self, last: Operation, param: Var) -> bool:
        left, right = last.operands
        if last.kind == "sub" and left is not param or left is right or param.type.shape and last.kind not in _SUMS:
            return False
        return self.uses[param] == [last] and param.type.dtype.kind in ("b" if last.kind in _BITS else "") + "iufc"

    def _choice(self, select: Operation, param: Var) -> Choice | None:
        """How some iterations replace a number; None if it depends on what they replace otherwise than by a
        comparison."""
        predicate = select.operands[0]
        if param is predicate or select.operands.count(param) != 1 or param.type.shape:
            return None
        kept = select.operands.index(param)
        compared = predicate.owner
        if compared in self.uses[param]:
            ours = self.uses[param] in ([compared, select], [select, compared])
            assert isinstance(compared, Operation)
            value = select.operands[3 - kept]
            if not ours or kept != 2 or compared.kind not in ("lt", "gt") or {*compared.operands} != {param, value}:
                return None
            return Choice(select, kept, compared)
        return Choice(select, kept, None) if self.uses[param] == [select] else None

    def _are_decided(self, choices: dict[int, Choice]) -> bool:
        """Whether comparisons with what iterations replace decide about nothing else; those of other values with them
        do."""
        records = {choice.record for choice in choices.values() if choice.record is not None}
        for k, choice in choices.items():
            predicate = choice.select.operands[0].owner
            if choice.record is None and predicate in records:
                if choice.kept != 2:
                    return False
                assert isinstance(predicate, Operation)
                choices[k] = choice._replace(record=predicate)
        selects = [choice.select for choice in choices.values()]
        for record in records:
            (result,) = record.results
            if any(user not in selects or user.operands[1:].count(result) for user in self.uses.get(result, ())):
                return False
            if result in self.body.results or record.operands[0].type.dtype.kind not in "iuf":
                return False
            deciding = [k for k, choice in choices.items() if choice.record is record]
            if sum(self.body.params[1 + k] in record.operands for k in deciding) != 1:
                return False
        return True

    def _framed(self, found: Lanes) -> Lanes | None:
        axes, stores = found.axes, found.stores
        for store in stores.values():
            axis = self._axis(touched(store) or [])
            if axis is None or store.operands[0] is store.operands[1]:
                return None
            axes[store] = axis
        if self.iterations is not None and all(map(self._exact, axes, axes.values())):
            frame, count = None, int(self.iterations)
        else:
            frame = next(iter(stores.values()), None) or self._longest_load(axes)
            if frame is None or not all(self._beside(store, axes[store], frame, axes[frame]) for store in axes):
                return None
            count = frame.operands[0].type.shape[axes[frame]]
        loads = [o for o in self.body.operations if o.kind == "load"]
        for load in loads:
            axis = self._axis(touched(load) or [])
            if axis is None:
                continue
            if self._exact(load, axis) if frame is None else self._beside(load, axis, frame, axes[frame]):
                axes[load] = axis
        for k, store in stores.items():
            param = self.body.params[1 + k]
            others = [o for o in self.uses[param] if o is not store]
            if param in store.operands[1:] or not all(self._reads_its_own(o, store, param, axes) for o in others):
                return None
        found = found._replace(frame=frame, count=count)
        if self._is_of_numbers(found):
            found = found._replace(of_numbers=True)
        return found if self._pays(found) else None

    def _longest_load(self, axes: dict[Operation, int]) -> Operation | None:
        """The load of a number whose axis serves as the lanes where nothing is stored; its axis is put into `axes`."""
        found, longest = None, 0
        for load in self.body.operations:
            axis = self._axis(touched(load) or []) if not load.results[0].type.shape else None
            if axis is not None and load.kind == "load":
                if found is None or load.operands[0].type.shape[axis] > longest:
                    found, place, longest = load, axis, load.operands[0].type.shape[axis]
        if found is not None:
            axes[found] = place
        return found

    def _is_of_numbers(self, found: Lanes) -> bool:
        """Whether an iteration computes single numbers, from elements at known places: vectors serve for any number of
        iterations."""
        for operation in self.body.operations:
            if operation in found.stores.values():
                continue
            if any(v.type.shape for v in operation.results) or work(operation) is None:
                return False
            if "lanewise" in operation.attributes or operation not in found.axes and self._is_gathered(operation):
                return False
        return True

    def _axis(self, dims: list[Dimension]) -> int | None:
        """The axis of a load or store along which iterations follow one another, one place each; None if it is
        otherwise."""
        axis = None
        for k, dim in enumerate(dims):
            if isinstance(dim.start, Var) and dim.start in self.varying:
                if axis is not None or dim.count != 1 or not self._follows(dim.start):
                    return None
                axis = k
            elif dim.step != 1 and dim.count > 1:
                return None
        return axis

    def _follows(self, start: Var) -> bool:
        """Whether an index is the number of the iteration plus what is the same in all iterations."""
        terms, _ = affine(start)
        varying = {id(v) for v in self.varying}
        return terms.get(id(self.index)) == 1 and varying.isdisjoint(k for k in terms if k != id(self.index))

    def _exact(self, access: Operation, axis: int) -> bool:
        """Whether iterations access known places, all of them in the array."""
        dims = touched(access)
        assert dims is not None and self.iterations is not None
        first = difference(dims[axis].start, self.index)
        return first is not None and 0 <= first <= access.operands[0].type.shape[axis] - int(self.iterations)

    def _beside(self, access: Operation, axis: int, frame: Operation, frame_axis: int) -> bool:
        """Whether a load or store is always at the place at which another store is, of an axis as long."""
        mine, its = touched(access), touched(frame)
        assert mine is not None and its is not None
        return (
            difference(mine[axis].start, its[frame_axis].start) == 0
            and access.operands[0].type.shape[axis] == frame.operands[0].type.shape[frame_axis]
        )

    def _reads_its_own(self, load: Operation, store: Operation, param: Var, axes: dict[Operation, int]) -> bool:
        """Whether a load reads only what the store of the same iteration changes, or no store of any iteration."""
        mine, its = touched(load), touched(store)
        if mine is None or its is None or load.kind != "load" or load.operands[0] is not param:
            return False
        if param in load.operands[1:]:
            return False
        axis = axes[store]
        if axes.get(load) == axis and difference(mine[axis].start, its[axis].start) == 0:
            return True
        for k, (x, y) in enumerate(zip(mine, its, strict=True)):
            if isinstance(x.start, Var) and x.start in self.varying or x.step < 0 or not x.count:
                continue
            distance = difference(x.start, y.start) if k != axis else self._before(x, y)
            if distance is not None and (distance + x.span <= 0 or k != axis and distance >= y.span):
                return True
        return False

    def _before(self, x: Dimension, y: Dimension) -> int | None:
        """The start of a load, seen from the first place of all iterations that is stored to."""
        if isinstance(y.start, int):
            return None
        first = affine(y.start)
        terms = {k: v for k, v in first[0].items() if v and k != id(self.index)}
        others, more = ({}, x.start) if isinstance(x.start, int) else affine(x.start)
        return more - first[1] if terms == {k: v for k, v in others.items() if v} else None

    # -- whether it pays --

    def _pays(self, found: Lanes) -> bool:
        if found.frame is not None and not self._mostly_used(found.count):
            return False
        if found.of_numbers:
            return self._pays_for_numbers(found)
        total, transforms, gathers = 0, False, False
        for operation in self.body.operations:
            if operation in found.stores.values():
                continue
            part = work_in_lanes(operation)
            if part is None or "lanewise" in operation.attributes:
                return False
            size = max(prod(v.type.shape) for v in operation.results)
            if size > _LARGEST or size * found.count > _MOST:
                return False
            total += part
            transforms |= is_transform(operation)
            gathers |= operation not in found.axes and self._is_gathered(operation)
        if transforms or gathers:
            return transforms
        if any(map(_skips, found.axes, found.axes.values())):
            return total * found.count >= _WORTH_COLUMNS
        # In a loop around, rows that are changed in place stay in the cache.
        return not self.around and found.frame is None and total * found.count >= _WORTH_ROWS

    def _pays_for_numbers(self, found: Lanes) -> bool:
        if found.count < (_FEWEST_INSIDE if self.around else _FEWEST_ALONE):
            return False
        if self.around and len(found.ends()) > 1:
            # XLA would copy an array for what is loaded from it for something else than the store into it.
            for k, store in found.stores.items():
                if self.uses[self.body.params[1 + k]] != [store]:
                    return False
        return len(self.body.operations) * found.count <= _MOST_NUMBERS

    def _is_gathered(self, operation: Operation) -> bool:
        dims = touched(operation)
        return dims is not None and not self.varying.isdisjoint(d.start for d in dims if isinstance(d.start, Var))

    def _mostly_used(self, count: int) -> bool:
        """Whether on average half of the lanes are iterations: that many are, or they become more or fewer in a loop
        around this one."""
        if self.iterations is not None:
            return 2 * int(self.iterations) >= count
        unknown = {k for k, factor in affine(self.loop.operands[0])[0].items() if factor}
        for outer in self.around:
            index = id(outer.regions[0].params[0]) if outer.kind == "for" else None
            if index in unknown:
                iterations = constant_value(outer.operands[0])
                if iterations is None or 2 * int(iterations) < count:
                    return False
                unknown.remove(index)
        return not unknown


def _skips(access: Operation, axis: int) -> bool:
    """Whether the elements that one lane accesses do not lie next to one another."""
    return any(d.count > 1 for d in (touched(access) or [])[:axis])


__all__ = ["find_lanes"]
