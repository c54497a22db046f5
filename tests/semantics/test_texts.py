"""Texts of numbers whose characters are used: digits, palindromes, widths; the number is known then."""

import math
import re
import unicodedata

import numpy as np

from .runner import Programs

program = Programs()


@program(453, 12, 0)
def digits(n):
    return [int(c) for c in str(n)], sum(map(int, str(n))), len(str(n)), str(n)[0], str(n)[-1:]


@program(1221, 120, 7)
def palindromes(n):
    text = str(n)
    return text == text[::-1], text != "7", int(text[::-1]), "2" in text, text.count("2"), text < "2"


@program(123, -3, raises=ValueError)
def reversed_number(n):
    return int(str(n)[::-1])


@program(2.5, -1e300, 0.1)
def characters_of_floats(x):
    return len(str(x)), str(x)[-1], f"{x:.2f}"[0], float(str(x)), int(f"{x:.0f}") % 7


@program((1, 20), (30, 60))
def numbers_with_odd_sums_of_squared_digits(low, high):
    found = []
    for n in range(low, high):
        if sum(int(c) ** 2 for c in str(n)) % 2:
            found.append(n)
    return found


@program([12, 3], np.array([40, 51]))
def digits_of_elements(x):
    counts = [0] * 10
    for v in x:
        for c in str(v):
            counts[int(c)] += 1
    return counts


@program(5, 6, 7)
def texts_as_keys(n):
    names = {"5": 50, "6": 60}
    return names.get(str(n)), str(n) in names, f"{n}" in ("5", "7"), f"<{n}>"[1:-1] == str(n)


@program(6, 9)
def binary_digits(n):
    return [int(c) for c in f"{n:b}"], f"{n:08b}"[::-1], bin(n).count("1"), int(f"{n:b}"[::-1], 2)


@program((3, np.array([1.0, 2.0])), (8, np.array([1.0, 2.0])))
def text_in_the_output_as_well(n, x):
    if len(str(n * 10)) == 2:
        x *= n
    return f"{n} of {x[0]}"


NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
ONES = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"]
TENS = ["", "X", "XX", "XXX", "XL", "L", "LX", "LXX", "LXXX", "XC"]
FUNCTIONS = [math.sin, math.cos, math.tan, math.exp, abs, math.sqrt, math.floor, math.ceil, math.trunc, math.atan]


@program(44, 99, 7)
def roman(n):
    return TENS[n // 10] + ONES[n % 10], len(TENS[n // 10]), [NAMES[int(d)] for d in str(n)]


@program((0, 1.5), (5, 4.0), (-1, 0.5), (10, 0.5), raises=IndexError)
def one_of_many_functions(k, x):
    return FUNCTIONS[k](x)


DATA, REVERSED = np.array([1.5, -0.5, 0.25, -2.0, 0.75, 0.5]), np.array([-1.5, 0.5, -0.25, 2.0, -0.75, -0.5])
LONG = np.random.default_rng(3).normal(size=40)


@program(DATA, REVERSED, LONG)
def joined_texts_chosen_by_data(xs):
    signs = "".join(["+" if v > 0 else "-" for v in xs])
    return signs, " ".join("up" if v > 0 else "down" for v in xs), len(xs)


@program(DATA, REVERSED, LONG)
def joined_texts_of_a_list_that_grows(xs):
    found = []
    for k, v in enumerate(xs):
        if v > 0.4:
            found.append(f"{k}: {v:.2f}")
        elif v < -1:
            found.append("low")
    line = "; ".join(found)
    found.append("{end}")
    return line, "{}".join(found), f"<{line}>"


@program(DATA, REVERSED)
def one_of_several_texts_in_another(xs):
    label = "first" if xs[0] > 0 else "second"
    return "/".join([label, "x", str(len(xs))]), f"{label}!"


@program(1994, 42, 4)
def numerals_by_subtraction(n):
    text = ""
    for value, letters in ((1000, "M"), (900, "CM"), (90, "XC"), (40, "XL"), (10, "X"), (4, "IV"), (1, "I")):
        while n >= value:
            text += letters
            n -= value
    return text


@program((255, 16), (10, 2), (0, 7))
def digits_put_together(n, base):
    text = ""
    while n > 0:
        n, digit = divmod(n, base)
        text = "0123456789abcdef"[digit] + text
    halves = ""
    while base > 0:
        halves = str(base % 2) + halves
        base //= 2
    return text or "0", halves


@program((np.array([1.0, 2.5]),), (np.array([[1, 2], [3, 4]]),), (np.array([0.1, -2.0]),), raises=ValueError)
def texts_of_arrays(x):
    if (x < 0).any():
        raise ValueError("negative:\n%s" % np.array2string(x))
    return np.array_str(x), np.array_repr(x * 2), len(x)


@program((np.array([1.0, 2.5]),), refuse=True)
def texts_of_another_format(x):
    return np.array2string(x, precision=2, separator=",")


@program((np.array([1.0, 2.5]), "Café  au lait!"), (np.array([1.0, 2.5]), "tea"))
def names_made_alike(x, name):
    """Options are often compared so, in one spelling."""
    name = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii")
    name = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", name.lower())).strip("-_")
    parts = re.split("-", name), re.findall("[aeiou]", name), re.subn("e", "i", name), re.escape(name)
    return x * 2 if name == "cafe-au-lait" else x, parts, unicodedata.category(name[0])


@program((np.array([1.0]), "a"), raises=re.error)
def a_pattern_with_a_fault(x, name):
    return x, re.sub("(", name, "b")


@program((66, [98, 57, 33]), (-1, [98, 57, 33]), (1 << 40, [98, 122, 33]), (3, [98, 97, 99]))
def characters_of_data(n, codes):
    """The character of a number is a text like others."""
    found: list = []
    try:
        found += [chr(n), "".join(chr(c - 1) for c in codes), bin(n), hex(-n), oct(n)]
        for c in codes:
            if c > 99:
                raise KeyError(f"{chr(c)!r} among {n}")
            found.append(chr(c))
    except (KeyError, ValueError, OverflowError) as error:
        found.append(str(error))
    return found


@program((3, 2.5), (-12, 0.0))
def repeated_texts(n, x):
    wrong: list = []
    some = str(n)
    for action in (lambda: some * 1.5, lambda: "a" * some, lambda: some % 2, lambda: some - 1):  # type: ignore
        try:
            wrong.append(action())
        except TypeError as error:
            wrong.append(str(error))
    return some * 2, 3 * f"{x:.1f}|", some * 0, b"ab" * n, n * "ab", wrong


@program(("GATA", b"ab", 3, 2.5), ("", b"", True, 0.5))
def methods_of_classes_by_way_of_objects(s, b, n, x):
    turned = s.translate(s.maketrans("AT", "TA")), "tag".translate(str.maketrans({"a": "o", "g": None}))
    known = b.fromhex("6162"), b.translate(b.maketrans(b"ab", b"ba")), (1).from_bytes(b"ab", "little")
    more = f"{x:.1f}".maketrans("2", "3"), (x + 1).fromhex("0x1.8p0"), np.float64.fromhex("1")
    return turned, known, n.from_bytes(b"\x01\x02", "big"), n.from_bytes(b"\xff", "big", signed=True), more


test_programs = program.test()
