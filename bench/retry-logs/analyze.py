"""The core rule as a plain script. Parses an array at once and NDJSON line by line. Prints the number of clients at each risk level."""
import json
import math
import resource
import sys
import time

THRESHOLD = 5


def risk(requests, intervals):
    if len(intervals) < 2:
        jitters = not intervals
    else:
        # Not statistics.pstdev, because it calculates with fractions and would take a quarter of the total time.
        mean = math.fsum(intervals) / len(intervals)
        deviation = math.sqrt(sum((interval - mean) ** 2 for interval in intervals) / len(intervals))
        jitters = mean == 0 or deviation / mean >= 0.05
    if requests >= THRESHOLD:
        return "HIGH" if jitters else "CRITICAL"
    return "MEDIUM" if not jitters and requests >= THRESHOLD / 2 else "LOW"


def events(form, path):
    with open(path, encoding="utf-8") as log:
        if form == "array":
            yield from json.load(log)
        else:
            for line in log:
                yield json.loads(line)


started = time.monotonic()
clients = {}
for event in events(sys.argv[1], sys.argv[2]):
    client = clients.setdefault(event["client_ip"], [0, []])
    client[0] += 1
    interval = event.get("retry_interval_ms")
    if interval is not None:
        client[1].append(interval)
levels = {"LOW": 0, "MEDIUM": 0, "HIGH": 0, "CRITICAL": 0}
for requests, intervals in clients.values():
    levels[risk(requests, intervals)] += 1
seconds = time.monotonic() - started
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"seconds": seconds, "peakMiB": peak, "levels": levels}))
