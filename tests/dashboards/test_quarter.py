"""Four simulated weeks of 500 nodes after four of history: calm, nothing is unusual; storms and the loss of nodes are found."""

import unittest

from quarter import DAY, FINDS, HOUR, Quarter, episodes

NODES, WEEKS = 500, 4
# Within how many steps; what grows for weeks is not in so short a time.
WITHIN = {"storm of submissions": 4 * HOUR, "storm of requests": 4 * HOUR, "loss of nodes": 10 * DAY}


class Month(unittest.TestCase):
    def test_storms_and_losses_are_found_and_calm_is_silent(self):
        calm, troubled = (Quarter(NODES, "test", troubled, WEEKS) for troubled in (False, True))
        found = episodes([calm, troubled])
        self.assertEqual([], found[calm.name])
        self.assertEqual(set(WITHIN), {what for what, _, _ in troubled.troubles})
        for what, begin, _ in troubled.troubles:
            with self.subTest(what):
                alert, _ = FINDS[what]
                self.assertTrue([at for name, at in found[troubled.name] if name == alert and begin <= at <= begin + WITHIN[what]])
        self.assertEqual([], [(alert, at) for alert, at in found[troubled.name] if not troubled.right(alert, at)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
