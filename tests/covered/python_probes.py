"""Functions that use what no program of `tests/semantics` may use: the page shows why they are refused."""

from __future__ import annotations


def _calls(expression: str, before: str = "") -> str:
    return f"{before}def probe(x):\n    return {expression}\n"


def _method(name: str, call: str, parameters: str = "self") -> str:
    body = f"class C:\n    def {name}({parameters}):\n        return 1\n\n"
    return _calls(call, body)


PROBES: dict[str, str] = {
    "TryStar": "def probe(x):\n    try:\n        raise OSError\n    except* OSError:\n        x = 2\n    return x\n",
    "AsyncFunctionDef": "async def f():\n    pass\ndef probe(x):\n    return f()\n",
    "AsyncFor": "async def f(y):\n    async for x in y:\n        pass\ndef probe(x):\n    return f(x)\n",
    "AsyncWith": "async def f(y):\n    async with y:\n        pass\ndef probe(x):\n    return f(x)\n",
    "Await": "async def f(y):\n    await y\ndef probe(x):\n    return f(x)\n",
    "builtin aiter": _calls("aiter(x)"),
    "builtin anext": _calls("anext(x)"),
    "builtin breakpoint": _calls("breakpoint()"),
    "builtin bytearray": _calls("bytearray(3)"),
    "builtin compile": _calls("compile('1', 'f', 'eval')"),
    "builtin dir": _calls("dir(x)"),
    "builtin eval": _calls("eval('x')"),
    "builtin exec": _calls("exec('y = 1')"),
    "builtin globals": _calls("globals()"),
    "builtin input": _calls("input()"),
    "builtin memoryview": _calls("memoryview(b'a')"),
    "builtin open": _calls("open('f')"),
    "builtin __import__": _calls("__import__('math').pi * x"),
    "method __del__": _method("__del__", "x if C() else x"),
    "method __format__": _method("__format__", "f'{C():a}'", "self, spec"),
    "method __bytes__": _method("__bytes__", "bytes(C())"),
    "method __dir__": _method("__dir__", "dir(C())"),
    "method __missing__": "class C(dict):\n    def __missing__(self, k):\n        return 1\n\n" + _calls("C()['a']"),
    "method __class_getitem__": _method("__class_getitem__", "C[1] * x", "cls, item"),
    "method __await__": "class C:\n    def __await__(self):\n        yield 1\n\nasync def f():\n    await C()\n"
    + _calls("f()"),
    "method __aiter__": "class C:\n    def __aiter__(self):\n        return self\n\n" + _calls("aiter(C())"),
    "method __anext__": "class C:\n    def __anext__(self):\n        return self\n\n" + _calls("anext(C())"),
    "method __aenter__": "class C:\n    async def __aenter__(self):\n        pass\n\n" + _calls("C().__aenter__()"),
    "method __aexit__": "class C:\n    async def __aexit__(self, *e):\n        pass\n\n" + _calls("C().__aexit__()"),
    "module array": _calls("array.array('d', [1.0])", "import array\n"),
    "module asyncio": _calls("asyncio.sleep(1)", "import asyncio\n"),
    "module datetime": _calls("datetime.date.today()", "import datetime\n"),
    "module decimal": _calls("decimal.Decimal(1)", "import decimal\n"),
    "module json": _calls("json.dumps([1])", "import json\n"),
    "module logging": _calls("logging.warning('a')", "import logging\n"),
    "module os": _calls("os.getcwd()", "import os\n"),
    "module re": _calls("re.match('a', 'b')", "import re\n"),
    "module struct": _calls("struct.pack('d', x)", "import struct\n"),
    "module threading": _calls("threading.Lock()", "import threading\n"),
    "module time": _calls("time.time()", "import time\n"),
    "module types": _calls("types.SimpleNamespace(a=x)", "import types\n"),
    "module weakref": _calls("weakref.ref(len)", "import weakref\n"),
}
