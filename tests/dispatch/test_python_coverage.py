"""Every built-in function, and every method of Python's own types, has a rule; what has none is listed here."""

import builtins
import collections
import functools
import itertools
import operator

import pytest

from xlapy.dispatch import register_all
from xlapy.dispatch.registry import find_attribute, find_function, find_method, find_replacement

assert register_all

#: classes that are not made inside programs, what only makes sense on the host or in a class body, what the interpreter
#: does itself, and functions in Python that are interpreted as they are
WITHOUT = set(
    "locals aiter anext bytearray classmethod copyright credits exit help license memoryview object property quit"
    " staticmethod super GenericAlias RLock cached_property get_cache_token namedtuple partialmethod recursive_repr"
    " singledispatch singledispatchmethod total_ordering ChainMap UserDict UserList UserString Placeholder"
    " MappingProxyType MethodType UnionType update_wrapper wraps".split()
)


def missing(module):
    for name in dir(module):
        item = getattr(module, name)
        raised = isinstance(item, type) and issubclass(item, BaseException)
        if callable(item) and not name.startswith("_") and not raised and name not in WITHOUT:
            if find_function(item) is None and find_replacement(item) is None:
                yield name


@pytest.mark.parametrize("module", [builtins, itertools, functools, operator, collections], ids=lambda m: m.__name__)
def test_functions(module):
    assert list(missing(module)) == []


KINDS = [list, tuple, dict, set, frozenset, str, bytes, int, float, complex, bool, range, slice]
KINDS += [collections.deque, collections.defaultdict, collections.OrderedDict, collections.Counter]


@pytest.mark.parametrize("cls", KINDS, ids=lambda c: c.__name__)
def test_methods_and_attributes(cls):
    names = [name for name in dir(cls) if not name.startswith("_")]
    assert [n for n in names if find_method(cls, n) is None and find_attribute(cls, n) is None] == []
