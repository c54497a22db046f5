"""The colours of a photograph, found by k-means that ends when nothing changes."""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image

import xlapy

EVERY, COLOURS = 4, 6


# %%
@xlapy.jit
def segmented(pixels, count, seed):
    """Centres, the number of the nearest one for each pixel, and how many rounds that took."""
    random = np.random.default_rng(seed)
    centres = pixels[random.integers(0, len(pixels), count)]
    labels = np.full(len(pixels), -1)
    rounds = 0
    while True:
        rounds += 1
        distances = ((pixels[:, None] - centres) ** 2).sum(axis=2)
        nearest = distances.argmin(axis=1)
        if np.array_equal(nearest, labels):
            return centres, labels, rounds
        labels = nearest
        for k in range(count):
            mine = pixels[labels == k]  # as many as the data says
            if len(mine) > 0:
                centres[k] = mine.mean(axis=0)


photograph = load_sample_image("flower.jpg")[::EVERY, ::EVERY] / 255.0
pixels = photograph.reshape(-1, 3)
centres, labels, rounds = map(np.asarray, segmented(pixels, COLOURS, 0))
print(f"{len(pixels)} pixels, {rounds} rounds")
for k in range(COLOURS):
    if (labels == k).any():
        np.testing.assert_allclose(centres[k], pixels[labels == k].mean(axis=0), rtol=1e-6)

# %%
figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3))
left.imshow(photograph)
right.imshow(centres[labels].reshape(photograph.shape))
plt.show()
