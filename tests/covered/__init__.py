"""Every public function, method and attribute of NumPy: used with every documented argument, or refused with a reason.

- `numpy_calls`, `array_calls`, `random_calls`: the tables of calls.
- `test_calls`: each call compared with NumPy; `test_random`: distributions compared statistically.
- `page`: writes docs/coverage-of-numpy.md from the tables; `test_page`: nothing is forgotten, the page is not stale.
- `python_page`: writes docs/coverage-of-python.md from the programs of `tests/semantics`; `python_constructs` is what
  it lists, `python_probes` what it tries where no program uses a construct.
"""
