"""Cosine transforms by SciPy's old and new functions."""

import numpy as np
import scipy.fft
import scipy.fftpack

from .runner import Programs

program = Programs()

X = np.sin(np.arange(24.0)).reshape(3, 8)

program.each(
    (X,),
    (X * 2 + 1,),
    old=lambda x: (scipy.fftpack.dct(x), scipy.fftpack.dct(x, norm="ortho", axis=0), scipy.fftpack.dct(x[0], n=6)),
    new=lambda x: (scipy.fft.dct(x), scipy.fft.dct(x, norm="ortho", axis=0)),
    cepstrum=lambda x: scipy.fftpack.dct(np.log(x * x + 1), type=2, axis=1, norm="ortho")[:, :3],
)

test_programs = program.test()
