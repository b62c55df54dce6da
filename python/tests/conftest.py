import signal

import numpy as np
import pytest

import stickslip

# A shell without job control ignores Ctrl-C in what it starts behind `&`, and so would Python.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def top():
    return stickslip.load("tippe-top")


@pytest.fixture
def slide():
    """A box that slides on the ground, and comes to rest after 0.7 s."""

    def build(friction=0.3, **settings):
        world = stickslip.World("slide", ground=True)
        world.body(
            "box", mass=1, shapes=[stickslip.Box([0.1, 0.1, 0.05])], position=(0, 0, 0.05), velocity=(2, 0.5, 0)
        )
        world.contact("box", "ground", friction=friction)
        world.simulation_settings(**{"duration": 1.0, "step": 1e-3, **settings})
        return world

    return build


@pytest.fixture
def same():
    """Largest difference of two runs in all columns that are no count of iterations."""

    def difference(one, other):
        names = [name for name in one.columns if name not in ("iterations", "residual")]
        assert names and [name for name in other.columns if name not in ("iterations", "residual")] == names
        return max(np.abs(one[name].astype(float) - other[name]).max() for name in names)

    return difference
