"""A Punctual worker in Python, with the standard library only. The protocol is described in docs/workers.md.

    export PUNCTUAL_URL=http://127.0.0.1:7420 PUNCTUAL_API_KEY=...    (a key with the scope "work")
    python3 examples/worker.py
"""

import http.client
import json
import os
import signal
import threading
import time
import traceback
import urllib.request
import uuid

WORKER = f"python-{uuid.uuid4()}"
URL = f"{os.environ['PUNCTUAL_URL']}/api/v1/workers/{WORKER}"
HEADERS = {"authorization": f"Bearer {os.environ['PUNCTUAL_API_KEY']}", "content-type": "application/json"}
SLOTS = 2

stopping = threading.Event()  # take nothing more
finished = threading.Event()
running = {}  # by token: the runs that this worker holds (threads change it one step at a time, and read copies)


class Run:
    """One attempt. Python cannot end a thread from outside: handlers that take long look at `stopped` now and then."""

    def __init__(self, execution):
        self.execution = execution
        self.held = {"id": execution["id"], "token": execution["token"]}
        self.lines, self.stopped = [], threading.Event()
        self.why = None  # "timeout", "cancel" or "lost"

    def stop(self, why):
        self.why = why
        self.stopped.set()

    def log(self, level, message, fields=None):
        self.lines.append({"seq": len(self.lines) + 1, "level": level, "message": message, "fields": fields})


def send_report(run):
    payload = run.execution["payload"] or {}
    if "to" not in payload:
        raise ValueError("payload.to is missing")
    run.log("info", "sending the report", {"to": payload["to"]})
    for _page in range(payload.get("pages", 1)):
        if run.stopped.wait(0.1):
            raise InterruptedError("stopped before the last page")
    return {"sentTo": payload["to"]}


HANDLERS = {"send-report-py": send_report}
OFFER = {"name": "python", "handlers": [{"name": name, "slots": SLOTS} for name in HANDLERS]}


def call(method, path, body=None, timeout=20):
    """One request, which may safely be repeated. None: it should be; False: it would be refused as it was now."""
    request = urllib.request.Request(URL + path, json.dumps(body or {}).encode(), HEADERS, method=method)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return json.loads(answer.read() or "{}")
    except urllib.error.HTTPError as error:
        print(f"{method} {path or '/'}: {error}", flush=True)
        if error.code == 404 and method == "POST":
            call("PUT", "", OFFER)  # the server does not know this worker (any more)
        elif error.code in (400, 413) and path in ("/logs", "/settle"):
            return False  # what a handler said is too large, or nothing that the server can keep
        elif error.code in (400, 401, 403):
            os._exit(1)  # the key is not good (any more), or this program is wrong; sys.exit would end one thread only
    except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:  # nobody there, or gone in mid-answer
        print(f"{method} {path or '/'}: {error!r}", flush=True)
    return None


def insist(*request):
    while (answer := call(*request)) is None:
        time.sleep(1)
    return answer


def heartbeats(every):
    while not finished.wait(every):
        runs = list(running.values())
        answer = call("POST", "/heartbeat", {"executions": [run.held for run in runs]}, timeout=every)
        for run, item in zip(runs, answer["items"] if answer else []):
            if item["status"] != "ok":
                run.stop(item["status"])
        if answer and answer["drain"]:
            stopping.set()


def attempt(run):
    timer = threading.Timer(run.execution["timeoutMs"] / 1000, run.stop, ["timeout"])
    timer.start()
    try:
        ended = {"outcome": "succeeded", "result": HANDLERS[run.execution["handler"]](run)}
        json.dumps(ended)  # a result that is no JSON is a failure of the handler
    except Exception as error:
        described = {"code": run.why or type(error).__name__, "message": str(error), "stack": traceback.format_exc()}
        ended = {"outcome": "failed", "error": described, "retryable": not isinstance(error, ValueError)}
    timer.cancel()
    if run.lines:
        insist("POST", "/logs", {"items": [{**run.held, "lines": run.lines}]})
    # What was cancelled or lost is not this worker's any more; an answer {"accepted": false} says the same.
    if run.why not in ("cancel", "lost") and not insist("POST", "/settle", {"items": [{**run.held, **ended}]}):
        ended = {"outcome": "failed", "error": "the server refused the result", "retryable": False}
        insist("POST", "/settle", {"items": [{**run.held, **ended}]})
    del running[run.held["token"]]


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    registered = insist("PUT", "", OFFER)
    threading.Thread(target=heartbeats, args=(registered["heartbeatMs"] / 1000,)).start()
    print(f"worker {WORKER} is waiting for work", flush=True)
    while not stopping.wait(0.05):
        taken = [run.execution["handler"] for run in list(running.values())]
        free = [{"name": name, "free": SLOTS - taken.count(name)} for name in HANDLERS if taken.count(name) < SLOTS]
        # One request id until there is an answer: a claim whose answer got lost is answered again.
        claim = {"requestId": str(uuid.uuid4()), "handlers": free, "waitMs": 2000}
        for execution in insist("POST", "/claim", claim)["executions"] if free else []:
            run = running[execution["token"]] = Run(execution)
            threading.Thread(target=attempt, args=(run,)).start()
    while running:
        time.sleep(0.05)
    finished.set()
    call("DELETE", "")
