"""Why public functions, methods and attributes of NumPy are refused: each name with the reason that users read."""

from __future__ import annotations

_IO = "reads or writes files or text, which a device cannot"
_TEXT = "makes text, which a device cannot"
_DATES = "is about dates, which XLA does not have"
_STATE = "changes or reads settings of the NumPy library, not data"
_HOST = "is about memory of the host"
_MATRIX = "np.matrix is not supported: its operators mean something else"
_DATA = "gives a result whose dtype or size depends on data"

REASONS: dict[str, str] = {
    **dict.fromkeys(
        "fromfile fromregex genfromtxt load loadtxt save savetxt savez savez_compressed fromstring".split(), _IO
    ),
    **dict.fromkeys(
        "format_float_positional format_float_scientific info show_config show_runtime".split(),
        _TEXT,
    ),
    **dict.fromkeys("busday_count busday_offset datetime_as_string datetime_data is_busday".split(), _DATES),
    **dict.fromkeys(
        "get_include get_printoptions getbufsize geterr geterrcall printoptions set_printoptions setbufsize seterr"
        " seterrcall test".split(),
        _STATE,
    ),
    **dict.fromkeys("frombuffer nested_iters".split(), _HOST),
    **dict.fromkeys("asmatrix bmat".split(), _MATRIX),
    **dict.fromkeys("real_if_close mask_indices".split(), _DATA),
    "einsum_path": "is a plan for np.einsum, which makes its own",
    "frompyfunc": "makes object arrays, which XLA does not have",
}
METHOD_REASONS: dict[str, str] = {
    **dict.fromkeys("tofile dump dumps".split(), _IO),
    "tobytes": "makes bytes, which a device cannot",
    "byteswap": "is about the byte order of the host",
    **dict.fromkeys("getfield setfield".split(), "takes elements apart into bytes, which XLA does not have"),
}
ATTRIBUTE_REASONS: dict[str, str] = {
    **dict.fromkeys("data ctypes".split(), _HOST),
    "base": "asks who owns the memory of an array, which is not tracked",
}
RANDOM_REASONS: dict[str, str] = {
    **dict.fromkeys("get_state set_state get_bit_generator set_bit_generator".split(), _STATE),
    "test": _STATE,
    "spawn": "makes generators of the host",
    "bit_generator": "is an object of the host",
    "bytes": "makes bytes, which a device cannot",
}
MASKED = "makes a masked array, which XLA does not have: keep a mask of booleans (`x[mask]`, `where=mask`) or NaN"
LINALG_REASONS: dict[str, str] = {"test": _STATE}
FFT_REASONS: dict[str, str] = {"test": _STATE}
