#!/usr/bin/env python3
"""The checker of OpenMetrics refuses what breaks a rule: each rule with a page that breaks it and nothing else."""

import unittest

import openmetrics

GOOD = """# TYPE temperature_seconds gauge
# UNIT temperature_seconds seconds
# HELP temperature_seconds A \\"quoted\\" text.
temperature_seconds{a="1",b="x\\\\y\\n\\"z"} -1.5e-05
temperature_seconds{a="2"} NaN
# TYPE build info
# HELP build x
build_info{version="1"} 1
# TYPE jobs counter
# HELP jobs x
jobs_total{a="1"} 3 # {jobid="7"} 1 1800000000.5
jobs_created{a="1"} 1700000000
jobs_total{a="2"} 0
# TYPE wait_seconds histogram
# UNIT wait_seconds seconds
# HELP wait_seconds x
wait_seconds_bucket{a="1",le="0.001"} 0
wait_seconds_bucket{a="1",le="1.0"} 2 # {jobid="8"} 0.75
wait_seconds_bucket{a="1",le="1e+06"} 2
wait_seconds_bucket{a="1",le="+Inf"} 3
wait_seconds_sum{a="1"} 9
wait_seconds_count{a="1"} 3
# TYPE state stateset
# HELP state x
state{state="up"} 1
state{state="down"} 0
# EOF
"""

# (rule, what is replaced, by what)
BAD = [
    ("no end", "# EOF\n", ""),
    ("no end", "# EOF\n", "# EOF"),
    ("no end", "# EOF\n", "# EOF\nlate 1\n"),
    ("something after the end", "# TYPE build info", "# EOF\n# TYPE build info"),
    ("an empty line", "# TYPE build info", "\n# TYPE build info"),
    ("an empty line", "jobs_total{a=\"2\"} 0", "jobs_total{a=\"2\"} 0\r"),
    ("comment syntax", "# HELP jobs x", "# jobs"),
    ("comment syntax", "# HELP jobs x", "#HELP jobs x"),
    ("comment syntax", "# HELP jobs x", "# HELP 1jobs x"),
    ("no such type", "# TYPE jobs counter", "# TYPE jobs untyped"),
    ("metadata twice", "# HELP jobs x", "# HELP jobs x\n# HELP jobs y"),
    ("metadata twice", "# TYPE jobs counter", "# TYPE jobs counter\n# TYPE jobs counter"),
    ("metadata twice", "# UNIT wait_seconds seconds", "# UNIT wait_seconds seconds\n# UNIT wait_seconds seconds"),
    ("metadata after samples", 'jobs_total{a="2"} 0', '# UNIT jobs jobs\njobs_total{a="2"} 0'),
    ("the name does not end with its unit", "# UNIT wait_seconds seconds", "# UNIT wait_seconds minutes"),
    ("the name does not end with its unit", "# UNIT wait_seconds seconds", "# UNIT wait_seconds conds"),
    ("help escapes", 'A \\"quoted\\" text', 'A "quoted" text'),
    ("help escapes", 'A \\"quoted\\" text', "A \\x text"),
    ("a unit of what has none", "# HELP build x\nbuild_info", "# HELP build_s x\n# TYPE build_s info\n# UNIT build_s s\nbuild_s_info"),
    ("sample syntax", 'jobs_total{a="2"} 0', 'jobs_total{a="2"}  0'),
    ("sample syntax", 'jobs_total{a="2"} 0', 'jobs_total {a="2"} 0'),
    ("sample syntax", 'jobs_total{a="2"} 0', 'jobs_total{a="2",} 0'),
    ("sample syntax", 'jobs_total{a="2"} 0', 'jobs_total{a= "2"} 0'),
    ("sample syntax", 'jobs_total{a="2"} 0', "jobs_total{a='2'} 0"),
    ("sample syntax", 'jobs_total{a="2"} 0', 'jobs_total{a="2"} many'),
    ("sample syntax", 'jobs_total{a="2"} 0', 'jobs_total{a="2"} 0x10'),
    ("sample syntax", 'jobs_total{a="2"} 0', 'jobs_total{a="\\t"} 0'),
    ("sample syntax", 'jobs_total{a="2"} 0', 'jobs_total{a:b="2"} 0'),
    ("sample syntax", 'jobs_total{a="2"} 0', 'jobs_total{a="2"} 0 #{jobid="7"} 1'),
    ("sample syntax", "b=\"x\\\\y\\n\\\"z\"", 'b="x"y"'),
    ("a label twice", 'jobs_total{a="2"} 0', 'jobs_total{a="2",a="3"} 0'),
    ("a family in two places", "# EOF", 'jobs_total{a="3"} 1\n# EOF'),
    ("a family in two places", "# EOF", "# HELP jobs again\n# EOF"),
    ("a sample that its type has not", 'jobs_total{a="2"} 0', 'jobs{a="2"} 0'),
    ("a sample that its type has not", 'wait_seconds_sum{a="1"} 9', 'wait_seconds_total{a="1"} 9'),
    ("a metric in two places", "# TYPE build info", 'temperature_seconds{a="1",b="x\\\\y\\n\\"z"} 1\n# TYPE build info'),
    ("a metric in two places", "# TYPE wait_seconds histogram", 'jobs_created{a="1"} 5\n# TYPE wait_seconds histogram'),
    ("a sample twice", 'jobs_total{a="2"} 0', 'jobs_total{a="2"} 0\njobs_total{a="2"} 0'),
    ("a counter without a total", 'jobs_total{a="2"} 0', 'jobs_created{a="2"} 0'),
    ("an info that is not 1", 'build_info{version="1"} 1', 'build_info{version="1"} 2'),
    ("a state that is not 0 or 1", 'state{state="up"} 1', 'state{state="up"} 2'),
    ("a negative or NaN count", 'jobs_total{a="2"} 0', 'jobs_total{a="2"} -1'),
    ("a negative or NaN count", 'jobs_total{a="2"} 0', 'jobs_total{a="2"} NaN'),
    ("an exemplar where none may be", 'build_info{version="1"} 1', 'build_info{version="1"} 1 # {jobid="1"} 1'),
    ("an exemplar where none may be", 'wait_seconds_count{a="1"} 3', 'wait_seconds_count{a="1"} 3 # {jobid="1"} 1'),
    ("an exemplar where none may be", 'jobs_created{a="1"} 1700000000', 'jobs_created{a="1"} 1700000000 # {jobid="1"} 1'),
    ("a long exemplar", '{jobid="7"}', '{jobid="' + "7" * 124 + '"}'),
    ("a bucket without a bound", 'wait_seconds_bucket{a="1",le="0.001"} 0', 'wait_seconds_bucket{a="1"} 0'),
    ("a bound that is not canonical", 'le="1.0"', 'le="1"'),
    ("a bound that is not canonical", 'le="1e+06"', 'le="1000000.0"'),
    ("a bound that is not canonical", 'le="0.001"', 'le="1e-03"'),
    ("a bound that is not canonical", 'le="+Inf"', 'le="Inf"'),
    ("no bucket +Inf", 'wait_seconds_bucket{a="1",le="+Inf"} 3\n', ""),
    ("bounds that do not ascend", 'le="0.001"', 'le="2.0"'),
    ("buckets that are not cumulative", 'le="0.001"} 0', 'le="0.001"} 3'),
    ("no sum or count", 'wait_seconds_sum{a="1"} 9\n', ""),
    ("no sum or count", 'wait_seconds_count{a="1"} 3\n', ""),
    ("a count that is not the bucket +Inf", 'wait_seconds_count{a="1"} 3', 'wait_seconds_count{a="1"} 4'),
    ("an exemplar outside of its bucket", '{jobid="8"} 0.75', '{jobid="8"} 1.75'),
    ("an exemplar outside of its bucket", '{jobid="8"} 0.75', '{jobid="8"} 0.001'),
    ("names clash", "# EOF", "# TYPE jobs_total gauge\n# HELP jobs_total x\n# EOF"),
    ("names clash", "# EOF", "# TYPE wait_seconds_sum gauge\n# HELP wait_seconds_sum x\n# EOF"),
]


class Checker(unittest.TestCase):
    def test_good(self):
        families = openmetrics.read(GOOD.encode())
        self.assertEqual(["temperature_seconds", "build", "jobs", "wait_seconds", "state"], list(families))
        self.assertEqual('A "quoted" text.', families["temperature_seconds"].help)
        self.assertEqual((("a", "1"), ("b", 'x\\y\n"z')), families["temperature_seconds"].samples[0].labels)
        self.assertEqual(openmetrics.Exemplar((("jobid", "7"),), 1, 1800000000.5), families["jobs"].samples[0].exemplar)

    def test_bad(self):
        for rule, old, new in BAD:
            with self.subTest(rule=rule, new=new):
                self.assertEqual(1, GOOD.count(old) if old != "# EOF\n" else 1, "one place")
                with self.assertRaises(openmetrics.Wrong) as wrong:
                    openmetrics.read(GOOD.replace(old, new).encode())
                self.assertEqual(rule, str(wrong.exception).partition(":")[0])

    def test_not_utf8(self):
        with self.assertRaisesRegex(openmetrics.Wrong, "not UTF-8"):
            openmetrics.read(GOOD.encode().replace(b'a="2"} 0', b'a="\xff"} 0'))

    def test_every_rule_has_a_page(self):
        self.assertEqual(openmetrics.RULES, {rule for rule, _, _ in BAD} | {"not UTF-8"})


if __name__ == "__main__":
    unittest.main()
