"""Optax: a step of each optimiser, schedules, and chains of transformations."""

import jax
import jax.numpy as jnp
import numpy as np
import optax

from .cases import Cases

case = Cases("optax", tolerance=2e-5)


def parameters():
    return {"w": jnp.arange(6.0).reshape(2, 3) / 7, "b": jnp.array([0.5, -1.0, 0.25])}


def gradients():
    return {"w": jnp.ones((2, 3)) * 0.3, "b": jnp.array([1.0, -2.0, 3.0])}


def two_steps(optimiser):
    def step(params, grads):
        state = optimiser.init(params)
        for _ in range(2):
            updates, state = optimiser.update(grads, state, params)
            params = optax.apply_updates(params, updates)
        return params, state

    return step


OPTIMISERS = {
    "sgd": optax.sgd(0.1),
    "sgd, momentum": optax.sgd(0.1, momentum=0.9),
    "sgd, nesterov": optax.sgd(0.1, momentum=0.9, nesterov=True),
    "adam": optax.adam(1e-2),
    "adamw": optax.adamw(1e-2),
    "adamax": optax.adamax(1e-2),
    "nadam": optax.nadam(1e-2),
    "amsgrad": optax.amsgrad(1e-2),
    "radam": optax.radam(1e-2),
    "adabelief": optax.adabelief(1e-2),
    "adagrad": optax.adagrad(1e-1),
    "adadelta": optax.adadelta(1.0),
    "rmsprop": optax.rmsprop(1e-2),
    "rmsprop, centred, momentum": optax.rmsprop(1e-2, centered=True, momentum=0.9),
    "lamb": optax.lamb(1e-2),
    "lars": optax.lars(1e-2),
    "lion": optax.lion(1e-3),
    "novograd": optax.novograd(1e-2),
    "yogi": optax.yogi(1e-2),
    "adafactor": optax.adafactor(1e-2),
    "sm3": optax.sm3(1e-2),
    "fromage": optax.fromage(1e-2),
    "noisy_sgd": optax.noisy_sgd(0.1, eta=0.0, key=0),
    "chain, clip_by_global_norm": optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-2)),
    "chain, clip": optax.chain(optax.clip(0.5), optax.sgd(0.1)),
    "add_decayed_weights": optax.chain(optax.add_decayed_weights(1e-2), optax.sgd(0.1)),
    "scale_by_schedule": optax.chain(optax.scale_by_schedule(lambda i: -0.1 / (i + 1))),
    "sgd, cosine schedule": optax.sgd(optax.cosine_decay_schedule(0.1, 100)),
    "adam, warm-up schedule": optax.adam(optax.warmup_cosine_decay_schedule(0.0, 0.1, 10, 100)),
    "masked": optax.masked(optax.sgd(0.1), {"w": True, "b": False}),
    "MultiSteps": optax.MultiSteps(optax.sgd(0.1), 2),
    "inject_hyperparams": optax.inject_hyperparams(optax.sgd)(learning_rate=0.1),
    "apply_if_finite": optax.apply_if_finite(optax.sgd(0.1), 3),
}
for name, optimiser in OPTIMISERS.items():
    case(name, lambda: (parameters(), gradients()))(two_steps(optimiser))

SCHEDULES = {
    "constant": optax.constant_schedule(0.1),
    "linear": optax.linear_schedule(0.1, 0.0, 10),
    "polynomial": optax.polynomial_schedule(0.1, 0.01, 2, 10),
    "exponential": optax.exponential_decay(0.1, 5, 0.9),
    "cosine": optax.cosine_decay_schedule(0.1, 10),
    "piecewise_constant": optax.piecewise_constant_schedule(0.1, {3: 0.5, 6: 0.1}),
    "one_cycle": optax.cosine_onecycle_schedule(20, 0.1),
    "warmup_cosine": optax.warmup_cosine_decay_schedule(0.0, 0.1, 5, 20),
    "join": optax.join_schedules([optax.constant_schedule(0.1), optax.linear_schedule(0.1, 0.0, 5)], [3]),
}
for name, schedule in SCHEDULES.items():
    case(f"schedule: {name}", lambda: (jnp.asarray(7),))(lambda i, schedule=schedule: schedule(i))


@case("losses", lambda: (jnp.array([[0.5, 1.0, -2.0]]), jnp.array([2])))
def losses(logits, labels):
    return (
        optax.softmax_cross_entropy_with_integer_labels(logits, labels),
        optax.sigmoid_binary_cross_entropy(logits, jnp.ones_like(logits)),
        optax.l2_loss(logits),
        optax.huber_loss(logits),
    )


@case("a loop of training", lambda: (parameters(), np.float32(2.0), 20))
def training(params, target, n):
    optimiser = optax.adam(0.05)
    state = optimiser.init(params)
    for _ in range(n):
        grads = jax.grad(lambda p: jnp.sum((p["w"].sum(axis=0) + p["b"] - target) ** 2))(params)
        updates, state = optimiser.update(grads, state)
        params = optax.apply_updates(params, updates)
    return params


@case("lbfgs with its line search", lambda: (jnp.zeros(3), np.float32(2.0), 3))
def quasi_newton(x, target, n):
    def value(x):
        return jnp.sum((x - target) ** 2 * jnp.arange(1.0, 4.0))

    optimiser = optax.lbfgs()
    state = optimiser.init(x)
    both = optax.value_and_grad_from_state(value)
    for _ in range(n):
        loss, slope = both(x, state=state)
        updates, state = optimiser.update(slope, state, x, value=loss, grad=slope, value_fn=value)
        x = optax.apply_updates(x, updates)
    return x


@case("early stopping", lambda: (parameters(), np.float32(2.0), 30))
def early_stopping(params, target, n):
    optimiser = optax.adam(0.3)
    state = optimiser.init(params)
    best, least, waited = params, jnp.inf, 0
    for _ in range(n):
        loss, grads = jax.value_and_grad(lambda p: jnp.sum((p["w"].sum(axis=0) + p["b"] - target) ** 2))(params)
        updates, state = optimiser.update(grads, state)
        params = optax.apply_updates(params, updates)
        if loss < least:
            best, least, waited = params, loss, 0
        else:
            waited += 1
            if waited == 2:
                break
    return best, least


@case("incremental_update, global_norm", lambda: (parameters(), gradients()))
def helpers(params, grads):
    return optax.incremental_update(params, grads, 0.1), optax.global_norm(grads)


test_cases = case.test()
