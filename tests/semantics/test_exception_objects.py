"""Exceptions as objects: their arguments, texts, causes and attributes, as read, set and raised again."""

import numpy as np

from .runner import Programs

program = Programs()

ONE, TWO = 1.5, -2.5


class Coded(Exception):
    def __init__(self, code):
        super().__init__("message", code)
        self.code = code

    def __str__(self):
        return f"[{self.code}] {super().__str__()}"


class OfKey(KeyError):
    def __str__(self):
        return "key: " + super().__str__()


class Shown(ValueError):
    def __repr__(self):
        return "shown " + super().__repr__()


class Plain(Exception):
    def __repr__(self):
        return "R"


def attempt(action):
    try:
        return action()
    except (TypeError, AttributeError, ValueError) as error:
        return type(error), str(error)


@program(ONE, TWO)
def texts_of_classes(x):
    errors = (
        Coded(x),
        OfKey("q"),
        OfKey(x),
        Shown("q"),
        Shown(1, 2),
        Plain(),
        Plain("a", x),
        OSError("o"),
        KeyError("k"),
    )
    texts = [(str(e), repr(e), f"{e} {e!r}", e.__str__()) for e in errors]
    return texts, BaseException.__str__(KeyError("q")), ImportError("i").__repr__()


@program(ONE, TWO)
def causes(x):
    def caught(action):
        try:
            action()
        except KeyError as error:
            return error

    def chained():
        try:
            raise ValueError(x)
        except ValueError as error:
            raise KeyError("k") from error

    def hidden():
        raise KeyError("k") from None

    def plain():
        raise KeyError("k")

    def of_class():
        raise KeyError("k") from IndexError

    found = [caught(action) for action in (chained, hidden, plain, of_class)]
    return [(e.__cause__ is None, e.__suppress_context__) for e in found], found[0].__cause__.args


@program((2, ONE), (1, TWO), (0, 0.5))
def causes_on_data(n, x):
    error = ValueError(x)
    if n > 1:
        error.__cause__ = KeyError(n)
    return error.__cause__ is None, error.__suppress_context__


@program(ONE, TWO)
def attributes_that_are_set(x):
    error = ValueError("a")
    error.args = [1, x]

    def put(name, value):
        setattr(error, name, value)

    def remove(name):
        delattr(error, name)

    wrong = [lambda: put("args", 5), lambda: put("__cause__", 5), lambda: put("__context__", "c")]
    wrong += [lambda: remove("args"), lambda: remove("__cause__"), lambda: remove("q")]
    return error.args, [attempt(action) for action in wrong], error.with_traceback(None) is error


@program(ONE)
def messages_of_what_is_no_exception(x):
    def numbers():
        yield 1

    def cause():
        raise ValueError(1) from 5

    return attempt(cause), attempt(lambda: numbers().throw(5))


def one_of_two(n):
    if n > 1:
        raise ValueError(n)
    if n < 1:
        raise KeyError("k", n)
    return n


@program(2, raises=ValueError)
def raised_again_with_more(n):
    try:
        return one_of_two(n)
    except Exception as error:
        error.args += ("more",)
        raise


@program(1, 0, raises=KeyError)
def raised_again_with_more_of_the_other(n):
    try:
        return one_of_two(n)
    except Exception as error:
        error.args += ("more",)
        raise


@program(1, 2, raises=RuntimeError)
def raised_with_the_arguments_of_one(n):
    try:
        return one_of_two(n)
    except Exception as error:
        raise RuntimeError(*error.args)


@program(1, 0, 2)
def text_of_one_of_two(n):
    try:
        return one_of_two(n)
    except Exception as error:
        return str(error), repr(error), type(error)


@program(ValueError([1], 2), refuse=True)
def argument_of_the_caller_is_changed(error):
    error.args = (7,)


@program(ValueError("a"), refuse=True)
def attribute_of_the_caller_is_set(error):
    error.found = 7


@program((np.array([1.0]),), refuse=True)
def what_was_handled(x):
    try:
        try:
            raise ValueError(x)
        except ValueError:
            raise KeyError("k")
    except KeyError as error:
        return error.__context__ is None


@program(1, refuse=True)
def where_it_was_raised(n):
    error = ValueError(n)
    return error.__traceback__ is None


@program(np.array([1.0, -2.0, 3.0]), np.array([2.0, 3.0, -1.0]), compiles=1)
def exceptions_kept_in_loops(x):
    kept, same, total = None, 0, 0
    for i in range(len(x)):
        try:
            if kept is not None and x[i] < 0:
                raise kept
            if x[i] > 0:
                raise ValueError(i)
        except ValueError as error:
            same += error is kept
            total += error.args[0]
            if x[i] > 1:
                kept = error
    return same, total


@program(2, refuse=True)
def made_of_a_number_of_the_system(n):
    return OSError(n, "text", "file").args


@program(2, refuse=True)
def arguments_beside_what_is_held(n):
    error = StopIteration(n)
    error.args = (5,)
    return error.value


test_programs = program.test()
