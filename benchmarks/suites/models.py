"""Training: whole runs on the digits and on text, ResNet50 forward and one step, an LSTM's gradient."""

from collections.abc import Callable, Iterable
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
TEXTS = 512  # passages that the LSTM learns from
ACCURACY = 0.97  # on the digits' test images
STEPPED = 0.5  # of xlapy's run time over the loop stepped from Python: at least twice as fast
SAME_MODEL = 1.0  # of xlapy's run time over jax.jit of the same function
COMPILE = 1.2  # of the compile time of a program with a gradient
NETWORKS = {
    "perceptron": (digits.perceptron, digits.perceptron_logits, digits.perceptron_loss, data.digits),
    "perceptron 784": (digits.wide_perceptron, digits.perceptron_logits, digits.perceptron_loss, data.enlarged_digits),
    "convolutional": (digits.convolutional, digits.convolutional_logits, digits.convolutional_loss, data.digits),
}


def cases(plan: Plan) -> list[Case]:
    rows = [Case("models", f"{name} training run", partial(training_run, name)) for name in NETWORKS]
    for batch in plan.batches:
        rows.append(Case("models", f"resnet50 forward batch {batch}", partial(resnet_forward, batch)))
        rows.append(Case("models", f"resnet50 training step batch {batch}", partial(resnet_step, batch)))
    rows.append(Case("models", "lstm loss and gradient", lstm_gradient))
    rows.append(Case("models", "lstm training run", lstm_training_run))
    return rows


def ready(jitted: Any, *arguments: Any, answer: Any = lambda result: result) -> Ready:
    """A compiled peer with its compile times and counts."""
    times, figures = compiled_figures(jitted, *arguments)
    return Ready(jitted, lambda: arguments, answer=lambda result, _: answer(result), times=times, figures=figures)


def training_run(name: str, plan: Plan) -> Iterable[Result]:
    """Epochs, shuffling, minibatches, forward, backward and Adam: one program, or stepped from Python with the data on
    the device (peer `jax`) or fed from the host (peer `fed`)."""
    initialised, logits, loss, load = NETWORKS[name]
    images, labels, test_images, test_labels = load()
    accuracies: dict[str, float] = {}

    def judged(peer: str, trained: Any) -> bool:
        found = np.argmax(np.asarray(logits(trained, test_images)), axis=1)
        accuracies[peer] = float(np.mean(found == test_labels))
        return accuracies[peer] >= ACCURACY

    case = f"{name} training run"
    rows = stepped_or_whole(plan, case, loss, initialised(), images, labels, EPOCHS, BATCH, judged)
    for result in rows:
        if result.status == OK:
            result.ratios.append(Ratio("test accuracy", accuracies[result.peer], ACCURACY, at_least=True))
    return rows


def lstm_training_run(plan: Plan) -> Iterable[Result]:
    """The same for an LSTM that predicts the next character of a text."""
    tokens = lstm.text_batch(TEXTS, 32)

    def loss(parameters: Any, tokens: Any, _: Any) -> Any:
        return lstm.loss(parameters, tokens)

    def by_hand(parameters: Any, tokens: Any, _: Any) -> Any:
        return lstm.loss_by_hand(parameters, tokens)

    def judged(peer: str, trained: Any) -> bool:
        """Whether it knows more of the text than how frequent each symbol is."""
        return bool(lstm.loss_by_hand(trained, tokens) < lstm.entropy(tokens))

    numbers = np.arange(TEXTS, dtype=np.int32)
    parameters = lstm.initialised(64)
    return stepped_or_whole(plan, "lstm training run", loss, parameters, tokens, numbers, 8, BATCH, judged, by_hand)


def stepped_or_whole(
    plan: Plan,
    case: str,
    loss: training.Loss,
    parameters: Any,
    x: np.ndarray,
    y: np.ndarray,
    epochs: int,
    batch: int,
    judged: Callable[[str, Any], bool],
    loss_by_hand: training.Loss | None = None,
) -> list[Result]:
    """A race of the ways to train. What has to agree: the first epoch's losses, before rounding has grown, and what
    `judged(peer, trained parameters)` says. `loss_by_hand` is for the peers, where it is another one."""
    optimiser, key = optax.adam(3e-3), jax.random.key(0)
    arguments = (parameters, x, y, key)
    theirs = loss_by_hand or loss

    def whole(parameters: Any, x: Any, y: Any, key: Any) -> Any:
        return training.train(loss, optimiser, parameters, x, y, key, epochs, batch)

    def whole_by_hand(parameters: Any, x: Any, y: Any, key: Any) -> Any:
        return training.train_by_hand(theirs, optimiser, parameters, x, y, key, epochs, batch)

    def noted(peer: str) -> Any:
        def answer(result: Any) -> Any:
            trained, history = result
            return np.asarray(history)[: len(y) // batch], judged(peer, trained)

        return answer

    def xlapy_ready() -> Ready:
        jitted = xlapy_jit(whole)
        made = ready(jitted, *arguments, answer=noted("xlapy"))
        moved = jitted.lower(*arguments).traffic()
        made.moved |= {"host_to_device": moved.host_to_device, "device_to_host": moved.device_to_host}
        return made

    def stepped_ready(peer: str) -> Ready:
        given = (x, y) if peer == "fed" else (jax.device_put(x), jax.device_put(y))
        way = training.train_fed if peer == "fed" else training.train_stepped
        run, note = way(theirs, optimiser, parameters, *given, key, epochs, batch), noted(peer)
        up, down = training.bytes_fed(x, y, epochs, batch) if peer == "fed" else (x.nbytes + y.nbytes, 0)
        return Ready(run, answer=lambda result, _: note(result), moved={"host_to_device": up, "device_to_host": down})

    contenders = [
        Contender("xlapy", xlapy_ready),
        Contender("jax", lambda: stepped_ready("jax")),
        Contender("fed", lambda: stepped_ready("fed")),
        Contender("by-hand", lambda: ready(jax.jit(whole_by_hand), *arguments, answer=noted("by-hand"))),
    ]
    targets = [
        Target("xlapy", "jax", STEPPED),
        Target("xlapy", "fed", STEPPED),
        Target("xlapy", "by-hand", SAME_MODEL, compile=COMPILE),
        Target("by-hand", "jax"),
    ]
    return race(
        plan, partial(Result, "models", case, batch=batch), contenders, "by-hand", targets, rtol=2e-2, atol=2e-3
    )


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
    targets = [Target("xlapy", "jax", SAME_MODEL, compile=COMPILE)]
    return race(plan, row, contenders, "jax", targets, rtol=1e-2, atol=1e-2)


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
    targets = [
        Target("xlapy", "by-hand", SAME_MODEL, compile=COMPILE),
        Target("xlapy", "unrolled"),
        Target("by-hand", "unrolled"),
    ]
    return race(plan, row, contenders, "by-hand", targets, rtol=1e-3, atol=1e-5)
