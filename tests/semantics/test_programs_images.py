"""Programs over images: windows that end at the border, labels, runs, grids whose bounds a loop gives."""

import numpy as np

from .runner import Programs

program = Programs()

GREY = (np.arange(130.0).reshape(13, 10) * 37 % 11) / 11
BITS = GREY > 0.4


@program((GREY, 2, 1.5), (GREY[::-1].copy(), 2, 0.5), compiles=1)
def weighted_by_distance(image, reach, width):
    smooth = np.zeros_like(image)
    rows, columns = image.shape
    for i in range(rows):
        for j in range(columns):
            top, bottom = max(0, i - reach), min(rows, i + reach + 1)
            left, right = max(0, j - reach), min(columns, j + reach + 1)
            near = image[top:bottom, left:right]
            y, x = np.mgrid[top:bottom, left:right]
            weight = np.exp(-((y - i) ** 2 + (x - j) ** 2) / width - abs(near - image[i, j]))
            smooth[i, j] = (weight * near).sum() / weight.sum()
    return smooth


@program((GREY, 2), (GREY * 2, 2), compiles=1)
def moments_of_windows(image, reach):
    found = np.zeros((*image.shape, 2))
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            near = image[max(0, i - reach) : i + reach, max(0, j - reach) : j + reach]
            y, x = np.indices(near.shape)
            open_y, open_x = np.ogrid[i : i + 2, j : j + reach]
            found[i, j] = (y * near).sum() + open_y.sum(), (x * near).sum() - open_x.sum()
    return found


@program((5, 3), (2, 3), raises=ValueError)
def grid_without_room(n, k):
    total = 0
    for i in range(n):
        total += np.mgrid[k - i : n, 0:2].sum()
    return total


@program((BITS,), (~BITS,), compiles=1)
def components(bits):
    labels = np.zeros(bits.shape, int)
    parents = [0]

    def root(label):
        while parents[label] != label:
            label = parents[label]
        return label

    for i in range(bits.shape[0]):
        for j in range(bits.shape[1]):
            if bits[i, j]:
                above = labels[i - 1, j] if i else 0
                before = labels[i, j - 1] if j else 0
                if above and before:
                    first, second = root(above), root(before)
                    parents[first] = parents[second] = labels[i, j] = min(first, second)
                elif above or before:
                    labels[i, j] = max(above, before)
                else:
                    labels[i, j] = len(parents)
                    parents.append(len(parents))
    return np.array([[root(label) for label in row] for row in labels])


@program((BITS.ravel(),), (BITS[:, ::-1].ravel(),), compiles=1)
def runs_and_back(bits):
    ends = np.append(np.flatnonzero(bits[1:] != bits[:-1]) + 1, bits.size)
    lengths = np.diff(ends, prepend=0)
    values = bits[ends - 1]
    return lengths, np.repeat(values, lengths), np.arange(bits.size) - np.repeat(ends - lengths, lengths)


@program((BITS.ravel(),), (BITS[:5].ravel(),), compiles=2)
def gaps_with_ends(bits):
    at = np.flatnonzero(bits)
    gaps = np.ediff1d(at, to_end=[bits.size, -1], to_begin=0), np.ediff1d(at * 0.5, to_begin=True)
    steps = np.diff(at, prepend=-1), np.diff(at, append=[0.5, bits.size]), np.diff(at, n=3), np.diff(at, n=0, append=1)
    return *gaps, *steps, np.diff(at, n=2, prepend=at[:1]), np.diff(at % 2 == 0, append=False)


@program((BITS.ravel(),), raises=TypeError)
def gaps_of_answers(bits):
    return np.ediff1d(np.flatnonzero(bits) > 3)


test_programs = program.test()
