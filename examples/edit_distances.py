"""Edit distances between all pairs of some words: a table that loops fill, under `vmap`."""

# %%
import matplotlib.pyplot as plt
import numpy as np

import xlapy

WORDS = "kitten sitting knitting mitten smitten written bitten biting sitter".split()


# %% The distance of two words in arrays of one length, as it stands in textbooks.
@xlapy.jit
def distance(a, m, b, n):
    """How many letters must be changed, added or left out to make the first m of `a` the first n of `b`."""
    table = np.zeros((len(a) + 1, len(b) + 1), np.int64)
    for i in range(m + 1):
        for j in range(n + 1):
            if i == 0 or j == 0:
                table[i, j] = i + j
            else:
                change = table[i - 1, j - 1] + (a[i - 1] != b[j - 1])
                table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, change)
    return table[m, n]


# %% Words as arrays, and all pairs at once.
length = max(map(len, WORDS))
letters = np.array([[ord(c) for c in word.ljust(length)] for word in WORDS])
lengths = np.array([len(word) for word in WORDS])
assert int(distance(letters[0], 6, letters[1], 7)) == 3

to_all = xlapy.vmap(distance, in_axes=(None, None, 0, 0))
distances = np.asarray(xlapy.vmap(lambda a, m: to_all(a, m, letters, lengths))(letters, lengths))
for i in range(len(WORDS)):
    for j in range(len(WORDS)):
        plain = distance.__wrapped__(letters[i], lengths[i], letters[j], lengths[j])
        assert distances[i, j] == distances[j, i] == plain

# %%
plt.imshow(distances)
plt.xticks(range(len(WORDS)), WORDS, rotation=60)
plt.yticks(range(len(WORDS)), WORDS)
plt.colorbar()
plt.tight_layout()
plt.show()
