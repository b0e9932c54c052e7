"""What frozen.py finds wrong, in made-up projects in which one thing is so."""
import unittest

from frozen import Project, faults, read_listed, read_rows, taken_out, update, write_rows

FROZEN = "jobs\tgauge\tstate,partition\nends_total\tcounter\t\njob_info\tgauge\tjobid\n"
LISTED = "jobs\tgauge\tpartition,state\tjobs\t\tJobs.\nends_total\tcounter\t\tdbd_jobs\t\tEnds.\njob_info\tgauge\tjobid\tjobs\t\tJobs.\n"
FIRST = "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2027-01-01\n### Added\n- jobs and ends_total\n"
# The same, one step after the other: ends_total is deprecated, that is released, it is gone, that is released.
MARKED = FROZEN.replace("ends_total\tcounter\t", "ends_total\tcounter\t\t0.2.0\t0.3.0\tjobs")
WARNS = LISTED.replace("Ends.", "Deprecated: use jobs. Ends.")
LACKS = LISTED.replace("ends_total\tcounter\t\tdbd_jobs\t\tEnds.\n", "")
SAYS = FIRST.replace("[Unreleased]\n", "[Unreleased]\n### Deprecated\n- `ends_total`\n")
SECOND = SAYS.replace("## [Unreleased]", "## [Unreleased]\n\n## [0.2.0] - 2027-02-01")
GONE = SECOND.replace("[Unreleased]\n", "[Unreleased]\n### Removed\n- `ends_total`\n", 1)
THIRD = GONE.replace("## [Unreleased]", "## [Unreleased]\n\n## [0.3.0] - 2027-03-01", 1)


def found(frozen=FROZEN, listed=LISTED, changelog=FIRST, migrating="| ends_total | jobs |"):
    return "\n".join(faults(read_rows(frozen), read_listed(listed), Project(changelog, migrating)))


def grown(frozen, listed, changelog):
    return write_rows(update(read_rows(frozen), read_listed(listed), Project(changelog, "")))


class Frozen(unittest.TestCase):
    def test_nothing_wrong(self):
        self.assertEqual("", found())

    def test_what_may_not_change(self):
        self.assertIn("not deprecated", found(listed=LACKS))
        self.assertIn("was a counter and is a gauge", found(listed=LISTED.replace("ends_total\tcounter", "ends_total\tgauge")))
        self.assertIn("no label state", found(listed=LISTED.replace("partition,state", "partition")))
        self.assertIn("new label qos, which splits", found(listed=LISTED.replace("partition,state", "partition,state,qos")))
        self.assertIn("Take a metric away", found(listed=LACKS))

    def test_what_may_be_added(self):
        more = LISTED.replace("gauge\tjobid", "gauge\tjobid,name") + "nodes\tgauge\t\tnodes\t\tNodes.\n"
        self.assertRegex(found(listed=more), "(?s)job_info has a new label name: UPDATE.*nodes is new: UPDATE")
        self.assertEqual("", found(grown(FROZEN, more, FIRST), more))

    def test_update_only_adds(self):
        for listed in LACKS, LISTED.replace("partition,state", "qos"), LISTED.replace("total\tcounter", "total\tgauge"):
            with self.subTest(listed):
                self.assertEqual(read_rows(FROZEN), read_rows(grown(FROZEN, listed, FIRST)))
                self.assertEqual("", found(grown(FROZEN, listed, "## [Unreleased]\n"), listed))  # before the first release

    def test_no_row_is_taken_out(self):
        before = read_rows(FROZEN)
        self.assertEqual([], list(taken_out(read_rows(MARKED.replace("\tjobid", "\tjobid,name") + "nodes\tgauge\t\n"), before)))
        for frozen in FROZEN.replace("ends_total\tcounter\t\n", ""), FROZEN.replace("\tcounter", "\tgauge"), FROZEN.replace("state,", ""):
            with self.subTest(frozen):
                self.assertEqual(1, len(list(taken_out(read_rows(frozen), before))))

    def test_the_right_order(self):
        for step in ((MARKED, WARNS, SAYS), (MARKED, WARNS, SECOND), (MARKED, LACKS, GONE), (MARKED, LACKS, THIRD)):
            with self.subTest(step):
                self.assertEqual("", found(*step))

    def test_a_wrong_order(self):
        self.assertIn("0.2.0, which deprecates it, is not released", found(MARKED, LACKS, SAYS))
        self.assertIn('name it under "Removed"', found(MARKED, LACKS, SECOND))
        self.assertIn("gone in 0.2.1, but it stays until 0.3.0", found(MARKED, LACKS, THIRD.replace("0.3.0", "0.2.1")))
        self.assertIn("cannot go in 0.2.1", found(MARKED.replace("0.3.0", "0.2.1"), WARNS, SAYS))

    def test_what_tells_of_it(self):
        self.assertIn('"Deprecated" of Unreleased', found(MARKED, WARNS, FIRST))
        self.assertIn('"Deprecated" of 0.2.0', found(MARKED, WARNS, SECOND.replace("ends_total", "jobs")))
        self.assertIn("MIGRATING.md", found(MARKED, WARNS, SAYS, ""))
        self.assertIn('begin with "Deprecated: use jobs. "', found(MARKED, LISTED, SAYS))
        self.assertIn("but frozen.tsv does not", found(FROZEN, WARNS, SAYS))
        self.assertIn("there is no tasks to use", found(MARKED.replace("\tjobs\n", "\ttasks\n"), WARNS, SAYS))


if __name__ == "__main__":
    unittest.main()
