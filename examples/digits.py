"""A small network trained on scikit-learn's digits: the training as a whole is one program."""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import xlapy

EPOCHS, HIDDEN = 30, 64


# %% A network of NumPy arrays.
class Network:
    """Two layers."""

    def __init__(self, inputs, hidden, classes, seed=0):
        random = np.random.default_rng(seed)
        self.w1, self.b1 = random.normal(size=(inputs, hidden)) / np.sqrt(inputs), np.zeros(hidden)
        self.w2, self.b2 = random.normal(size=(hidden, classes)) / np.sqrt(hidden), np.zeros(classes)

    def scores(self, x):
        return np.maximum(x @ self.w1 + self.b1, 0.0) @ self.w2 + self.b2

    def loss(self, x, y):
        scores = self.scores(x)
        scores = scores - scores.max(axis=1, keepdims=True)
        chosen = scores[np.arange(len(y)), y]
        return np.mean(np.log(np.exp(scores).sum(axis=1)) - chosen)


@xlapy.jit
def train(network, x, y, epochs, batch, rate):
    """Stochastic gradient descent; the network is changed in place."""
    random, losses = np.random.default_rng(0), []
    for _ in range(epochs):
        order = random.permutation(len(x))
        total = 0.0
        for start in range(0, len(x) - batch + 1, batch):
            part = order[start : start + batch]
            loss, slope = xlapy.value_and_grad(lambda n: n.loss(x[part], y[part]))(network)
            network.w1 -= rate * slope.w1
            network.b1 -= rate * slope.b1
            network.w2 -= rate * slope.w2
            network.b2 -= rate * slope.b2
            total += loss
        losses.append(total)
    return losses


# %%
digits = load_digits()
x, y = digits.data / 16.0, digits.target
learnt, held = slice(0, 1400), slice(1400, None)
network = Network(64, HIDDEN, 10)
losses = [float(loss) for loss in train(network, x[learnt], y[learnt], EPOCHS, 50, 0.3)]
right = np.mean(network.scores(x[held]).argmax(axis=1) == y[held])
print(f"{right:.1%} of the digits that were held back are right")
assert losses[-1] < losses[0] and right > 0.8

# %%
plt.plot(losses)
plt.xlabel("epoch")
plt.ylabel("loss")
plt.show()
