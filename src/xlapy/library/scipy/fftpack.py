"""scipy.fftpack.dct, which SciPy keeps for old programs, by scipy.fft's."""

from __future__ import annotations

import scipy.fft
import scipy.fftpack

from xlapy.library.replacement import replacement


@replacement(scipy.fftpack.dct)
def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
    """scipy.fftpack.dct."""
    return scipy.fft.dct(x, type=type, n=n, axis=axis, norm=norm)
