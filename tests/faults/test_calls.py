#!/usr/bin/env python3
"""One call of the C library fails once in each of many runs of slurmscope: an allocation, a write, an fsync, accept, poll, ...
It ends with a reason or goes on. Never is a number wrong, does it hang, die of a signal or lose an event of a job.

    test_calls.py [--every] [PATTERN]

A place is where a call comes from (sheet.py). By default there is a run each for some places, chosen by a fixed seed. One is of
each function of the C library that no run before has met, at one of our own calls if there are any. Others come up to SOME.
With --every: beside `--once` each place's first call and one later call. Beside a daemon it is each return address that calls,
and MORE further places. Each run that failed is said, and in how many the call was not made this time. PATTERN:
only these places.
"""
import random
import re
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from sheet import Sheet
from worlds import OF_LIBRARIES, Died, Once, Serving, World, Wrong

SOME = {Once: 36, Serving: 32}
MORE = 300
AT_ONCE = 4


def of_each_site(places, chance):
    """One place of each return address."""
    mixed = chance.sample(places, len(places))
    return sorted({place.site: place for place in mixed}.values())


def some(sites, least, met, chance):
    """One of each function that is not yet met, and by chance others, until these are `least`."""
    mixed, of_calls = sorted(chance.sample(sites, len(sites)), key=lambda place: bool(place.module)), {}
    for place in mixed:
        if place.call not in met:
            of_calls.setdefault(place.call, place)
    others = [place for place in chance.sample(mixed, len(mixed)) if place not in of_calls.values()]
    return [*of_calls.values(), *others[:max(0, least - len(of_calls))]]


def later(place, chance):
    return chance.randint(2, place.count) if place.count > 1 else 1


def chosen(scenario, places, met, is_every):
    """[(place, which of its calls)]; `met`: the functions of which one has failed."""
    chance = random.Random(1)
    sites = of_each_site(places, chance)
    if not is_every:
        return [(place, 1) for place in some(sites, SOME[scenario], met, chance)]
    if scenario is Once:
        return [(place, 1) for place in places] + [(place, later(place, chance)) for place in places if place.count > 1]
    more = chance.sample(places, min(len(places), MORE))
    return [(place, 1) for place in sites] + [(place, later(place, chance)) for place in more]


def try_all(scenario, world, met, is_every, pattern):
    """How many runs there were, and how they ended; `met` gets the functions that failed."""
    runs = scenario(world)
    sheet = Sheet(world.folder)
    runs.reference(sheet)
    places = sheet.places()
    wanted = [choice for choice in chosen(scenario, places, met, is_every) if re.search(pattern, str(choice[0]))]

    def try_one(choice):
        with tempfile.TemporaryDirectory() as folder:
            sheet = Sheet(folder)
            try:
                runs.try_one(sheet, *choice)
            except Died as died:
                is_librarys = any(re.search(pattern, str(choice[0])) for pattern in OF_LIBRARIES)
                return choice, sheet.struck(), "library" if is_librarys else "wrong", died
            except Wrong as wrong:
                return choice, sheet.struck(), "wrong", wrong
            return choice, sheet.struck(), "well", None
    counts = Counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for (place, nth), was_made, verdict, wrong in pool.map(try_one, wanted):
            counts.update(("runs", verdict))
            counts["not made"] += not was_made
            if verdict == "wrong":
                print(f"WRONG: call {nth} of {place.count}, {place}: {wrong}\n", flush=True)
    calls = Counter(place.call for place, _ in wanted)
    met.update(calls)
    print(f"{scenario.__name__}: {len(places)} places at {len({place.site for place in places})} return addresses make "
          f"{sum(place.count for place in places)} calls; {counts['runs']} runs, in {counts['not made']} the call was not "
          f"made, in {counts['library']} a library died (OF_LIBRARIES), {counts['wrong']} wrong. Runs by call: {dict(calls.most_common())}", flush=True)
    return counts


def main(arguments):
    is_every = "--every" in arguments
    pattern = next((argument for argument in arguments if argument != "--every"), "")
    bad, met = 0, set()
    for scenario in Once, Serving:
        with World(goes_on=scenario is Serving) as world:
            counts = try_all(scenario, world, met, is_every, pattern)
        bad += counts["wrong"] + (counts["runs"] == 0) + (counts["not made"] > counts["runs"] / 3)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
