"""Compares pairs, events and queries with a scan by NumPy, over many steps."""

import doctest
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import orthant
import orthant.broadphase
from orthant import Broadphase


class Scan:
    """Returns the pairs, by comparing all with all."""

    def __init__(self):
        self.boxes, self.motions, self.before = {}, {}, set()

    def pairs(self):
        def moves(a, b):
            return "dynamic" in (kinds := {self.motions[a], self.motions[b]}) or kinds == {"kinematic"}

        numbers = sorted(self.boxes)
        mins = np.array([self.boxes[n][0] for n in numbers])
        maxes = np.array([self.boxes[n][1] for n in numbers])
        meet = ((mins[:, None] <= maxes[None]) & (mins[None] <= maxes[:, None])).all(axis=-1) if numbers else np.zeros((0, 0))
        return {(numbers[a], numbers[b]) for a, b in np.argwhere(meet) if a < b and moves(numbers[a], numbers[b])}

    def update(self):
        now, before = self.pairs(), self.before
        self.before = now
        return now - before, before - now


@pytest.mark.parametrize("margin", [0.0, 0.5])
@pytest.mark.parametrize("dim", [2, 3])
def test_many_steps_are_those_of_the_scan(dim, margin):
    random = np.random.default_rng(dim)
    world, scan = Broadphase(dim, margin), Scan()

    def boxes(n):
        # Boxes lie on a lattice, so that many touch.
        mins = random.integers(0, 20, (n, dim)) / 2
        return mins, mins + random.integers(0, 4, (n, dim)) / 2

    for step in range(60):
        mins, maxes = boxes(random.integers(0, 12))
        motion = ("dynamic", "dynamic", "kinematic", "static")[step % 4]
        ids = world.insert(mins, maxes, motion)
        assert ids.dtype == np.int64 and not set(ids.tolist()) & scan.boxes.keys()
        for number, *box in zip(ids.tolist(), mins, maxes):
            scan.boxes[number], scan.motions[number] = box, motion
        alive = np.array(sorted(scan.boxes), np.int64)
        moved = random.permutation(alive)[: len(alive) // 3]
        mins, maxes = boxes(len(moved))
        world.move(moved, mins, maxes)
        for number, *box in zip(moved.tolist(), mins, maxes):
            scan.boxes[number] = box
        gone = random.permutation(alive)[: random.integers(0, 6)]
        world.remove(gone)
        for number in gone.tolist():
            del scan.boxes[number]
        began, ended = world.update()
        expected_began, expected_ended = scan.update()
        assert set(map(tuple, began.tolist())) == expected_began and len(began) == len(expected_began)
        assert set(map(tuple, ended.tolist())) == expected_ended and len(ended) == len(expected_ended)
        assert world.pairs().tolist() == [list(pair) for pair in sorted(scan.before)]
        assert len(world) == len(scan.boxes) and all(number in world for number in scan.boxes)
        lows, highs = boxes(7)
        offsets, ids = world.query(lows, highs)
        for k, (low, high) in enumerate(zip(lows, highs)):
            near = [n for n in sorted(scan.boxes) if (scan.boxes[n][0] <= high).all() and (low <= scan.boxes[n][1]).all()]
            assert ids[offsets[k] : offsets[k + 1]].tolist() == near
        alive = sorted(scan.boxes)
        lows, highs = world.bounds(alive)
        assert all((lows[k] == scan.boxes[n][0]).all() and (highs[k] == scan.boxes[n][1]).all() for k, n in enumerate(alive))


def world_of_two():
    world = Broadphase(2)
    world.insert([[0, 0], [3, 3]], [[1, 1], [4, 4]])
    return world


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (lambda world: Broadphase(4), "dim must be 2 or 3"),
        (lambda world: Broadphase(2, margin=-1.0), "margin"),
        (lambda world: world.insert([[0, 0], [0, np.nan]], [[1, 1], [1, 1]]), r"mins\[1, 1\] is NaN"),
        (lambda world: world.insert([[0, 0], [2, 0]], [[1, 1], [1, 1]]), "box 1"),
        (lambda world: world.insert([[0, 0]], [[1, 1], [1, 1]]), "1 mins and 2 maxes"),
        (lambda world: world.insert([[0, 0, 0]], [[1, 1, 1]]), r"shape \(n, 2\)"),
        (lambda world: world.insert([[0, 0]], [[1, 1]], "floating"), "motion must be"),
        (lambda world: world.move([0, 7], [[0, 0]] * 2, [[1, 1]] * 2), r"ids\[1\] is 7"),
        (lambda world: world.move([0], [[0, 0]] * 2, [[1, 1]] * 2), "2 boxes for 1 ids"),
        (lambda world: world.move([0, 1], [[2, 2], [5, 5]], [[3, 3], [4, 4]]), "box 1"),
        (lambda world: world.remove([1, -1]), r"ids\[1\] is -1"),
        (lambda world: world.remove([1, 1]), r"ids\[1\] comes twice"),
        (lambda world: world.remove([0.5]), "whole numbers"),
        (lambda world: world.bounds([2]), r"ids\[0\] is 2"),
    ],
)
def test_errors_name_the_row_and_change_nothing(question, message):
    world = world_of_two()
    with pytest.raises(ValueError, match=message):
        question(world)
    assert len(world) == 2 and world.bounds([0, 1])[0].tolist() == [[0, 0], [3, 3]]
    assert 0 in world and 2 not in world and -1 not in world and "a" not in world and 10**30 not in world


def test_empty_arrays_are_no_bodies():
    world = Broadphase()
    assert world.insert(np.empty((0, 3)), np.empty((0, 3))).shape == (0,)
    world.move([], np.empty((0, 3)), np.empty((0, 3)))
    world.remove([])
    began, ended = world.update()
    assert began.shape == ended.shape == world.pairs().shape == (0, 2)
    assert world.query(np.empty((0, 3)), np.empty((0, 3)))[0].tolist() == [0]


def many_boxes():
    mins = np.random.default_rng(5).random((100_000, 3)) * 100
    return mins, mins + 2


class Stop(Exception):
    pass


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers that send signals")
def test_events_outlive_a_signal():
    def stop(*_):
        raise Stop

    before = signal.signal(signal.SIGALRM, stop)
    try:
        # Repeat until the signal comes during the update, and not before it.
        for _ in range(100):
            world = Broadphase()
            world.insert(*many_boxes())
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.002)
                world.update()
            except Stop:
                if len(world.pairs()):
                    break
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        else:
            pytest.fail("no signal came while an update was at work")
    finally:
        signal.signal(signal.SIGALRM, before)
    began, ended = world.events()
    assert len(ended) == 0 and began.tolist() == world.pairs().tolist()
    assert [len(some) for some in world.update()] == [0, 0] == [len(some) for some in world.events()]


def test_threads_wait_for_each_other():
    world = Broadphase()
    mins, maxes = many_boxes()
    world.insert(mins, maxes)

    def ask():
        # The signal comes before, during and after the update.
        for _ in range(20):
            assert len(world) == len(mins) and 0 in world
            assert len(world.query(mins[:9], maxes[:9])[0]) == 10
            assert len(world.pairs()) in (0, len(world.events()[0]))

    with ThreadPoolExecutor() as pool:
        asking = [pool.submit(ask) for _ in range(3)]
        began, _ = world.update()
        for one in asking:
            one.result()
    assert world.pairs().tolist() == began.tolist() != []


def test_examples_of_the_docs():
    done = doctest.testmod(orthant.broadphase)
    assert done.attempted > 8 and not done.failed
