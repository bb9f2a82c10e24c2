"""The core rule as a plain script: the array at once, NDJSON line by line. Prints how many clients have each risk."""
import json
import resource
import statistics
import sys
import time

THRESHOLD = 5


def risk(requests, intervals):
    if len(intervals) < 2:
        jitters = not intervals
    else:
        mean = statistics.fmean(intervals)
        jitters = mean == 0 or statistics.pstdev(intervals, mean) / mean >= 0.05
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
