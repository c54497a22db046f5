"""Calls of supported functions that are refused, each with a part of the reason; and arguments without a meaning."""

CALLS = {
    "np.sort(np.unique_values(k))": "depends on data",
    "np.array_str(a, precision=2)": "makes text",
    "np.array_repr(a, precision=2)": "makes text",
    "np.array2string(a, separator=',')": "makes text",
    "[u := v.copy(), u.resize((2, 4), refcheck=False)][0]": "changes the size of the object in place",
}

#: documented arguments that no call uses, with the reason
ARGUMENTS = {
    "like": "makes arrays of other libraries",
    "subok": "there are no subclasses of ndarray",
    "order": "of sort: only for records",
    "bitgen": "an object of the host",
    "max_work": "a limit for the host",
    "optimize": "every product is planned",
    "stream": "NumPy has none",
    "check_valid": "every covariance is taken as given",
    "tol": "every covariance is taken as given",
    "ndmax": "only for object arrays",
    **dict.fromkeys(
        "max_line_width precision suppress_small separator prefix style formatter threshold edgeitems sign floatmode"
        " suffix legacy".split(),
        "of texts of arrays: a format of its own is made of the result",
    ),
}
