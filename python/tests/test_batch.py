import numpy as np
import pytest

import stickslip


def test_a_batch_is_the_same_on_any_number_of_threads(top):
    radii = np.linspace(1e-4, 2e-3, 6)
    results = []
    for threads in (1, 2, 5):
        batch = stickslip.Batch(top, 6, threads=threads)
        batch["parameters.contact_radius"] = radii
        results.append(batch.run(duration=0.1))
    one, two, five = results
    assert one["theta"].shape == (6, 101) and (one.status == "done").all()
    for other in (two, five):
        assert all(np.array_equal(one[name], other[name]) for name in one)
        assert np.array_equal(one.q, other.q)
    top["parameters.contact_radius"] = float(radii[3])
    alone = top.run(0.1)
    assert np.array_equal(alone["theta"], one["theta"][3])
    assert not np.array_equal(one["theta"][2], one["theta"][3])


def test_starts_as_arrays(slide):
    scene = slide().scene()
    u = np.zeros((3, 6))
    u[:, 0] = [0.5, 1.0, 1.5]
    result = stickslip.Batch(scene, 3, u=u).run(columns=["box.x"])
    way = result["box.x"][:, -1] - result["box.x"][:, 0]
    assert way == pytest.approx(u[:, 0] ** 2 / (2 * 0.3 * 9.81), abs=2e-3)
    assert result.columns == ["t", "box.x"] and result.q.shape == (3, 7)


def test_what_is_wrong_with_a_batch_is_told(top):
    batch = stickslip.Batch(top, 3)
    with pytest.raises(ValueError, match="has 2 values, it must have 3"):
        batch["parameters.mass"] = [1, 2]
    batch["parameters.mass"] = [0.006, -1, -1]
    with pytest.raises(stickslip.SceneError, match="parameters.mass"):
        batch.run(0.01)
    with pytest.raises(ValueError, match="u has the shape"):
        stickslip.Batch(top, 3, u=np.zeros((2, 6))).run(0.01)
    with pytest.raises(KeyError, match="nonsense"):
        stickslip.Batch(top, 3).run(0.01, columns=["nonsense"])
    with pytest.raises(ValueError, match="at least 1"):
        stickslip.Batch(top, 0)
