"""Training: whole runs on the digits, ResNet50 forward and one step, an LSTM's gradient."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import jax
import numpy as np
import optax

from benchmarks.models import data, digits, lstm, resnet50, training
from benchmarks.peers import xlapy_jit
from benchmarks.plan import Case, Plan
from benchmarks.programs import compiled_figures
from benchmarks.race import Contender, Ready, Target, race
from benchmarks.results import OK, Ratio, Result
from benchmarks.suites.vgg19 import summary

EPOCHS, BATCH = 20, 32
ACCURACY = 0.97  # on the digits' test images
STEPPED = 0.5  # of xlapy's run time over the loop stepped from Python: at least twice as fast
SAME_MODEL = 1.0  # of xlapy's run time over jax.jit of the same function
NETWORKS = {
    "perceptron": (digits.perceptron, digits.perceptron_logits, digits.perceptron_loss),
    "convolutional": (digits.convolutional, digits.convolutional_logits, digits.convolutional_loss),
}


def cases(plan: Plan) -> list[Case]:
    rows = [Case("models", f"{name} training run", partial(training_run, name)) for name in NETWORKS]
    for batch in plan.batches:
        rows.append(Case("models", f"resnet50 forward batch {batch}", partial(resnet_forward, batch)))
        rows.append(Case("models", f"resnet50 training step batch {batch}", partial(resnet_step, batch)))
    rows.append(Case("models", "lstm loss and gradient", lstm_gradient))
    return rows


def ready(jitted: Any, *arguments: Any, answer: Any = lambda result: result) -> Ready:
    """A compiled peer with its compile times and counts."""
    times, figures = compiled_figures(jitted, *arguments)
    return Ready(jitted, lambda: arguments, answer=lambda result, _: answer(result), times=times, figures=figures)


def training_run(name: str, plan: Plan) -> Iterable[Result]:
    """Epochs, shuffling, minibatches, forward, backward and Adam: one program, or stepped from Python (peer `jax`)."""
    initialised, logits, loss = NETWORKS[name]
    images, labels, test_images, test_labels = (jax.device_put(x) for x in data.digits())
    parameters, optimiser, key = initialised(), optax.adam(3e-3), jax.random.key(0)
    arguments = (parameters, images, labels, key)

    def whole(parameters: Any, images: Any, labels: Any, key: Any) -> Any:
        return training.train(loss, optimiser, parameters, images, labels, key, EPOCHS, BATCH)

    def whole_by_hand(parameters: Any, images: Any, labels: Any, key: Any) -> Any:
        return training.train_by_hand(loss, optimiser, parameters, images, labels, key, EPOCHS, BATCH)

    def judged(result: Any) -> Any:
        """What has to agree: the first epoch's losses, before rounding has grown, and how well the network has
        learnt."""
        trained, history = result
        accuracy[0] = float(np.mean(np.argmax(logits(trained, test_images), axis=1) == np.asarray(test_labels)))
        return np.asarray(history)[: len(labels) // BATCH], accuracy[0] >= ACCURACY

    accuracy = [0.0]
    accuracies: dict[str, float] = {}

    def noted(peer: str) -> Any:
        def answer(result: Any) -> Any:
            outcome = judged(result)
            accuracies[peer] = accuracy[0]
            return outcome

        return answer

    def stepped_ready() -> Ready:
        run = training.train_stepped(loss, optimiser, parameters, images, labels, key, EPOCHS, BATCH)
        note = noted("jax")
        return Ready(run, answer=lambda result, _: note(result))

    contenders = [
        Contender("xlapy", lambda: ready(xlapy_jit(whole), *arguments, answer=noted("xlapy"))),
        Contender("jax", stepped_ready),
        Contender("by-hand", lambda: ready(jax.jit(whole_by_hand), *arguments, answer=noted("by-hand"))),
    ]
    row = partial(Result, "models", f"{name} training run", batch=BATCH)
    targets = [Target("xlapy", "jax", STEPPED), Target("xlapy", "by-hand", SAME_MODEL), Target("by-hand", "jax")]
    rows = race(plan, row, contenders, "by-hand", targets, rtol=2e-2, atol=2e-3)
    for result in rows:
        if result.status == OK:
            result.ratios.append(Ratio("test accuracy", accuracies[result.peer], ACCURACY, at_least=True))
    return rows


def resnet_forward(batch: int, plan: Plan) -> Iterable[Result]:
    """Inference with running statistics."""
    parameters, running = resnet50.initialised()
    images = jax.device_put(data.photographs(batch))

    def forward(parameters: Any, running: Any, images: Any) -> Any:
        return resnet50.forward(parameters, running, images)[0]

    contenders = [
        Contender("xlapy", lambda: ready(xlapy_jit(forward), parameters, running, images), dtypes=True),
        Contender("jax", lambda: ready(jax.jit(forward), parameters, running, images)),
    ]
    row = partial(Result, "models", "resnet50 forward", batch=batch, dtype="float32")
    return race(plan, row, contenders, "jax", [Target("xlapy", "jax", SAME_MODEL)], rtol=1e-3, atol=1e-3)


def resnet_step(batch: int, plan: Plan) -> Iterable[Result]:
    """Forward, backward, update, and new running statistics."""
    parameters, running = resnet50.initialised()
    images = jax.device_put(data.photographs(batch))
    labels = jax.device_put((np.arange(batch) * 7 % 1000).astype(np.int32))
    arguments = (parameters, running, images, labels)

    def brief(result: Any) -> Any:
        return summary(result[:2]), np.asarray(result[2])

    contenders = [
        Contender("xlapy", lambda: ready(xlapy_jit(resnet50.train_step), *arguments, answer=brief)),
        Contender("jax", lambda: ready(jax.jit(resnet50.train_step), *arguments, answer=brief)),
    ]
    row = partial(Result, "models", "resnet50 training step", batch=batch, dtype="float32")
    return race(plan, row, contenders, "jax", [Target("xlapy", "jax", SAME_MODEL)], rtol=1e-2, atol=1e-2)


def lstm_gradient(plan: Plan) -> Iterable[Result]:
    """32 passages of 64 characters: the loop over time stays a loop in xlapy and by hand, and is unrolled by
    jax.jit."""
    parameters, tokens = lstm.initialised(128), jax.device_put(lstm.text_batch(32, 64))

    def gradient(parameters: Any, tokens: Any) -> Any:
        return jax.value_and_grad(lstm.loss)(parameters, tokens)

    by_hand = jax.value_and_grad(lstm.loss_by_hand)
    contenders = [
        Contender("xlapy", lambda: ready(xlapy_jit(gradient), parameters, tokens)),
        Contender("unrolled", lambda: ready(jax.jit(gradient), parameters, tokens)),
        Contender("by-hand", lambda: ready(jax.jit(by_hand), parameters, tokens)),
    ]
    row = partial(Result, "models", "lstm loss and gradient", batch=32)
    targets = [Target("xlapy", "by-hand", SAME_MODEL), Target("xlapy", "unrolled"), Target("by-hand", "unrolled")]
    return race(plan, row, contenders, "by-hand", targets, rtol=1e-3, atol=1e-5)
