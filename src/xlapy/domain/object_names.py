"""Which object stands for which, where two paths meet: the names of merged objects, and those at the head of a loop."""

from __future__ import annotations

from xlapy.domain.heap import Heap, Object
from xlapy.domain.values import DEAD, NdArray, Ref, Value, renamed


class JoinFailure(Exception):
    """Two values that no abstract value covers. `first` and `second` are the values, `reason` a phrase, `place` the
    register or slot of a loop's state that holds them, if that is known."""

    place: tuple | None = None

    def __init__(self, first: Value, second: Value, reason: str = "have no common type") -> None:
        super().__init__(reason)
        self.first, self.second, self.reason = first, second, reason


class Aliased(JoinFailure):
    """Two objects that one name cannot stand for, since they have others, too."""


class ObjectNames:
    """The objects of two joined paths. Two objects become one summary in `merged`, whose contents the caller joins,
    unless one of them can be reached otherwise: then the alias matters."""

    def __init__(self, heap: Heap) -> None:
        self.heap = heap
        #: merged objects: (from first, from second) -> summary
        self.merged: dict[tuple[int, int], int] = {}
        #: the same of the identities of array objects
        self._identities: dict[tuple[int, int], int] = {}
        #: identities of array objects at the head of a loop that may have another one on each iteration, and what each
        #: of them stands for at the end of this round
        self.named: set[int] = set()
        self._stands: dict[int, int] = {}
        #: summaries of earlier rounds of a loop, each with the object it stands for at the end of this round: two names
        #: never stand for one object, nor one for two
        self.absorbed: dict[int, int | None] = {}
        #: objects numbered above it were made inside the loop; None for branches
        self.mark: int | None = None
        #: summaries of objects that nothing stands for at the head of the loop
        self.adopted: list[int] = []
        #: objects that can be reached otherwise too, so that a summary would hide an alias
        self.pinned: set[int] = set()
        #: whether the values are joined, and it is asked which of them stands for a value of one path
        self.placing = False
        #: whether an array was entangled that the program could still write before
        self.unsettled = False
        #: whether the loop makes an iteration in any case, so that what is the caller's at its head need not be so
        #: after it
        self.iterates = False

    # -- at the head of a loop --

    def at_head(self, value: Value) -> Value:
        """`value` with the names that its objects have at the head of the loop."""
        return renamed(value, self._name, lambda array: self._new_identity(array, array))

    def _name(self, number: int) -> int:
        """The name at the head of the loop of an object at its end."""
        name = self._representative(number)
        if name is not None:
            return name
        if number in self.absorbed:
            if self.absorbed[number] is None:
                self.absorbed[number] = number
                return number
            if self.heap.objects[number].kind != "buffer":
                raise _several_alive()
            return self._adopt(number)
        assert self.mark is not None
        return self._adopt(number) if self.heap.made_since(number, self.mark) else number

    def _representative(self, number: int) -> int | None:
        """What stands, at the head of the loop, for an object at its end."""
        found = (s for s, o in self.absorbed.items() if o == number)
        return next(found, None) or next((made for pair, made in self.merged.items() if pair[1] == number), None)

    def name_at_head(self, number: int) -> int | None:
        """The name at the head of the loop of an object at its end; None if it has none there."""
        name = self._representative(number)
        replaced = number in self.absorbed and self.absorbed[number] not in (None, number)
        if name is not None or replaced or any(number == pair[0] for pair in self.merged):
            return name
        assert self.mark is not None
        return None if self.heap.made_since(number, self.mark) else number

    def keep(self, number: int) -> None:
        """A place refers to the same object at the head and at the end of a loop."""
        if number in self.absorbed and self.absorbed[number] != number:
            if self.absorbed[number] is not None or self._representative(number) is not None:
                raise _several_alive()
            self.absorbed[number] = number

    def _adopt(self, number: int) -> int:
        """A summary of an object at the end of the loop that nothing stands for at its head."""
        if number in self.heap.mirrors:
            raise JoinFailure(DEAD, Ref(number), "are the attributes of an object that is not the same on every trip")
        info = self.heap.objects[number]
        summary = self.heap.new(info.kind, info.cls, info.location)
        self.heap.objects[summary].details = info.details
        self.heap.renamed(summary, number)
        self.absorbed[summary] = number
        self.adopted.append(summary)
        return summary

    def identity(self, a: NdArray, b: NdArray) -> int:
        """The identity of what is the array object `a` on one path and `b` on the other."""
        if self.placing and any(made == a.identity and b.identity in of for of, made in self._identities.items()):
            return a.identity
        if a.identity not in self.named:
            return a.identity if a.identity == b.identity else self._new_identity(a, b)
        # what has one name at the head of a loop is one object at the end of each iteration
        stands = self._stands.setdefault(a.identity, b.identity)
        return a.identity if stands == b.identity else self._new_identity(a, b)

    def _new_identity(self, a: NdArray, b: NdArray) -> int:
        known = self._identities.get((a.identity, b.identity))
        if known is None:
            known = self._identities[(a.identity, b.identity)] = self.heap.identity()
            self.heap.joined.add(known)
            if {a.identity, b.identity} & self.heap.locked:
                self.heap.locked.add(known)
            if self.mark is not None:
                self.named.add(known)
        return known

    # -- summaries --

    def merge(self, first: int, second: int) -> int:
        """The object that stands for `first` on one path and `second` on the other."""
        known = self.merged.get((first, second))
        if known is not None:
            return known
        if self.placing and self.covers(first, second):
            return first
        one, two = self.heap.objects[first], self.heap.objects[second]
        rivals = {made for pair, made in self.merged.items() if first == pair[0] or second == pair[1]}
        if first in self.absorbed:
            self.heap.renamed(first, second)
            if self.absorbed[first] == second:
                return first
            taken = self.absorbed[first] is not None or self._representative(second) is not None
            if taken and self._may_part(first, second):
                return self._parted(first, second)
            if taken or not self._mergeable(one, two) or not self._may_merge(first, second, rivals):
                raise Aliased(Ref(first), Ref(second), "are aliased on one trip of the loop and not on another")
            self.absorbed[first] = second
            return first
        if {first, second} & self.heap.mirrors.keys():
            raise JoinFailure(Ref(first), Ref(second), "are the attributes of different objects")
        if not self._mergeable(one, two):
            raise JoinFailure(Ref(first), Ref(second), f"are a {one.cls.__name__} and a {two.cls.__name__}")
        if second in self.absorbed.values() or not self._may_merge(first, second, rivals):
            raise Aliased(Ref(first), Ref(second), "are different objects that can be reached otherwise")
        summary = self.heap.new(one.kind, one.cls, one.location)
        self.heap.objects[summary].details = one.details
        for number in (first, second):
            self.heap.renamed(summary, number)
        if {first, second} & self.heap.entangled:
            self.heap.entangled.add(summary)
        if {first, second} & self.heap.shared.keys():
            self.heap.share({first, second, summary})
        self.merged[(first, second)] = summary
        return summary

    def merge_buffers(self, first: int, second: int) -> int:
        """The same for buffers of arrays, that may be one."""
        if first != second:
            return self.merge(first, second)
        self.keep(first)
        return first

    def _may_part(self, first: int, second: int) -> bool:
        """Whether what is one array at the head of a loop may be two from now on: until one of them is written."""
        one, two = self.heap.objects[first], self.heap.objects[second]
        return self.mark is not None and not self.heap.facts.aliases and one.kind == two.kind == "buffer"

    def _parted(self, first: int, second: int) -> int:
        """A name of its own for an array at the end of a loop whose name at the head stands for another one as well."""
        entangled = {first, second}
        self.unsettled = self.unsettled or not entangled <= self.heap.entangled
        summary = self.heap.new("buffer", self.heap.objects[first].cls)
        self.merged[(first, second)] = summary
        self.heap.entangled |= {*entangled, summary}
        return summary

    def _may_merge(self, first: int, second: int, rivals: set[int]) -> bool:
        """Whether one name may stand for two objects. Arrays that can be reached otherwise may be merged until one of
        them is written; so may exceptions, and in loops where nothing else helps containers and objects that the
        program has made."""
        objects = self.heap.objects
        reachable = rivals or any(n in self.pinned or objects[n].source is not None for n in (first, second))
        if not reachable:
            return True
        hands_over = self._may_hand_over(first, second)
        sharing = self.heap.sharing or not self.heap.facts.shares and _is_exception(objects[first])
        if hands_over or sharing and objects[first].kind in _SHARED:
            if not hands_over and (objects[first].source is not None or objects[second].source is not None):
                return False
            self.unsettled = not self.heap.share({first, second, *rivals}) or self.unsettled
            if hands_over:
                self.heap.handed_over[second] = first
            return True
        if self.heap.facts.aliases or objects[first].kind != "buffer":
            return False
        entangled = {first, second, *rivals}
        self.unsettled = self.unsettled or not entangled <= self.heap.entangled
        self.heap.entangled |= entangled
        return True

    def _may_hand_over(self, first: int, second: int) -> bool:
        """Whether an object of the caller's has another one in its place from the second iteration of a loop on, as the
        parameters of a model that each iteration makes anew: no iteration needs to be told from the others while nobody
        changes what may be either."""
        old, new = self.heap.objects[first], self.heap.objects[second]
        if self.mark is None or old.kind not in _SHARED or old.source is None or new.source is not None:
            return False
        if second in self.pinned or self.heap.facts.hands_over:
            return False
        if second in self.heap.shared and self.heap.handed_over.get(second) != first:
            return False
        return self.iterates or is_immutable(old.cls)

    def covers(self, summary: int, number: int) -> bool:
        """Whether `summary` stands for `number` on one of the paths."""
        stands = self.absorbed.get(summary, summary)
        if number == (summary if stands is None else stands):
            return True
        return bool(self.merged) and any(made == summary and number in pair for pair, made in self.merged.items())

    @staticmethod
    def _mergeable(one: Object, two: Object) -> bool:
        if one.kind != two.kind or one.cls is not two.cls:
            return False
        if one.kind in ("iterator", "generator"):
            return one.details is two.details or (one.details is not None and one.details == two.details)
        return one.kind in ("buffer", "list", "tuple", "dict", "set", "instance", "cell")


#: kinds of objects that may be copies of one another until they are written
_SHARED = frozenset(("list", "dict", "set", "instance"))


def is_immutable(cls: type) -> bool:
    """Whether nobody changes an object of a class, so that it does not matter whether two are one."""
    frozen = getattr(getattr(cls, "__dataclass_params__", None), "frozen", False)
    return cls is tuple or frozen or any(c.__module__.partition(".")[0] == "equinox" for c in cls.__mro__)


def _is_exception(info: Object) -> bool:
    """Whether an object is an exception that the program has made: it is raised and caught, and hardly ever changed."""
    return issubclass(info.cls, BaseException) and info.source is None


def _several_alive() -> Aliased:
    return Aliased(DEAD, DEAD, "are different objects on every trip, of which more than one stays alive")
