"""A Punctual worker in Python, with the standard library only. The protocol is described in docs/workers.md.

    export PUNCTUAL_URL=http://127.0.0.1:7420 PUNCTUAL_API_KEY=...    (a key with the scope "work")
    python3 examples/worker.py
"""

import json
import os
import signal
import threading
import time
import traceback
import urllib.error
import urllib.request
import uuid

SERVER = os.environ["PUNCTUAL_URL"]
KEY = os.environ["PUNCTUAL_API_KEY"]
WORKER = f"python-{uuid.uuid4()}"
SLOTS = 2

stopping = threading.Event()  # take nothing more
finished = threading.Event()
running = {}  # by token: what this worker holds
lock = threading.Lock()


def send_report(execution, log):
    payload = execution["payload"] or {}
    if "to" not in payload:
        raise ValueError("payload.to is missing")
    log("info", "sending the report", {"to": payload["to"]})
    return {"sentTo": payload["to"]}


HANDLERS = {"send-report-py": send_report}


def call(method, path, body=None, timeout=20):
    """One request; None if there is no answer or the server cannot take it now. Every call may safely be repeated."""
    request = urllib.request.Request(f"{SERVER}/api/v1/workers/{WORKER}{path}", method=method)
    request.add_header("authorization", f"Bearer {KEY}")
    request.add_header("content-type", "application/json")
    try:
        with urllib.request.urlopen(request, json.dumps(body or {}).encode(), timeout) as answer:
            return json.loads(answer.read() or "{}")
    except urllib.error.HTTPError as error:
        if error.code == 404 and method == "POST":
            register()  # the server does not know this worker (any more)
        elif error.code in (400, 401, 403):
            raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}")
    except OSError as error:
        print(f"{method} {path or '/'}: {error}", flush=True)
    return None


def insist(send, *request):
    while (answer := send(*request)) is None:
        time.sleep(1)
    return answer


def register():
    return call("PUT", "", {"name": "python", "handlers": [{"name": name, "slots": SLOTS} for name in HANDLERS]})


def heartbeats(every):
    while not finished.wait(every):
        with lock:
            held = [{"id": execution["id"], "token": token} for token, execution in running.items()]
        answer = call("POST", "/heartbeat", {"executions": held}, timeout=every)
        if answer and answer["drain"]:
            stopping.set()


def run(execution):
    held = {"id": execution["id"], "token": execution["token"]}
    lines = []

    def log(level, message, fields=None):
        lines.append({"seq": len(lines) + 1, "level": level, "message": message, "fields": fields})

    try:
        settlement = {**held, "outcome": "succeeded", "result": HANDLERS[execution["handler"]](execution, log)}
    except Exception as error:
        described = {"code": type(error).__name__, "message": str(error), "stack": traceback.format_exc()}
        settlement = {**held, "outcome": "failed", "error": described, "retryable": not isinstance(error, ValueError)}
    if lines:
        insist(call, "POST", "/logs", {"items": [{**held, "lines": lines}]})
    insist(call, "POST", "/settle", {"items": [settlement]})  # an answer {"accepted": false} means: others have it by now
    with lock:
        del running[execution["token"]]


def main():
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    registered = insist(register)
    threading.Thread(target=heartbeats, args=(registered["heartbeatMs"] / 1000,)).start()
    print(f"worker {WORKER} is waiting for work", flush=True)
    while not stopping.is_set():
        with lock:
            taken = [execution["handler"] for execution in running.values()]
        free = [{"name": name, "free": SLOTS - taken.count(name)} for name in HANDLERS if taken.count(name) < SLOTS]
        if not free:
            time.sleep(0.05)
            continue
        # One request id until there is an answer: a claim whose answer got lost is answered again.
        claim = {"requestId": str(uuid.uuid4()), "handlers": free, "waitMs": 2000}
        for execution in insist(call, "POST", "/claim", claim)["executions"]:
            with lock:
                running[execution["token"]] = execution
            threading.Thread(target=run, args=(execution,)).start()
    while running:
        time.sleep(0.05)
    finished.set()
    call("DELETE", "")


main()
