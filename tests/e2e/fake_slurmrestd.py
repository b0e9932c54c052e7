"""A slurmrestd that misbehaves on demand: recorded answers, on raw sockets.

A behaviour is a function of one Call. It answers as it likes and returns whether the connection
stays open. Fake.behave() changes the behaviour of endpoints at run time.
"""

import base64
import contextlib
import hashlib
import hmac
import json
import os
import re
import socket
import struct
import threading
import time
from pathlib import Path

FIXTURES = Path(os.environ.get("FIXTURES", "build/fixtures"))
# The endpoints that misbehave unless others are named, and those that not all versions serve.
LISTS = {"ping": "pings", "diag": "statistics", "partitions": "partitions", "nodes": "nodes",
         "jobs": "jobs"}
ENDPOINTS = tuple(LISTS)
MORE_LISTS = {"reservations": "reservations", "licenses": "licenses", "shares": "shares",
              "conf": "slurm_conf", "dbd_ping": "pings", "dbd_diag": "statistics",
              "qos": "qos", "associations": "associations"}
MORE_ENDPOINTS = tuple(MORE_LISTS)
OF_SLURMDBD = {"dbd_ping": "ping", "dbd_diag": "diag", "qos": "qos",
               "associations": "associations", "dbd_jobs": "jobs", "dbd_user": "user"}  # endpoint -> its path below /slurmdb
RELEASES = {"22.05.8": ("v0.0.37", "v0.0.38"),
            "24.11.5": ("v0.0.40", "v0.0.41", "v0.0.42"),
            "26.05.5": ("v0.0.42", "v0.0.43", "v0.0.44", "v0.0.45")}
# The others have answers alone: neither their raw HTTP nor their outages were recorded.
UNREAD = {"v0.0.36", "v0.0.39"}
ALL_RELEASES = {folder.name: tuple(sorted({version.name for version in folder.glob("v0.0.*")} - UNREAD))
                for folder in sorted(FIXTURES.glob("[0-9]*"))}
NEWEST = max((version for versions in ALL_RELEASES.values() for version in versions), default=None)
KEY = b"a key that only the tests know, 32 bytes or more"
NOT_FOUND = b"Unable to find requested URL endpoint."
NO_TOKEN = b"Authentication failure"
REFUSED = b"Protocol authentication error"


# Tokens

def encode(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=")


def decode(text):
    return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))


def make_token(seconds=3600, user="scope", key=KEY, **more):
    now = int(time.time())
    claims = {"sun": user, "iat": now, "exp": now + seconds, **more}
    signed = b".".join(encode(json.dumps(part).encode())
                       for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    return (signed + b"." + encode(hmac.digest(key, signed, "sha256"))).decode()


def claims_of(token, key=KEY):
    """The claims, after the signature was checked."""
    signed, _, signature = token.encode().rpartition(b".")
    head, payload = (json.loads(decode(part)) for part in signed.split(b"."))
    if head["alg"] != "HS256" or not hmac.compare_digest(
            decode(signature), hmac.new(key, signed, hashlib.sha256).digest()):
        raise ValueError(f"not signed with our key: {head}")
    return payload


# Behaviours

def normal(call):
    if call.endpoint == "job_states" and call.query:  # the rows of the array that is asked for
        answer, wanted = json.loads(call.body), call.query.partition("=")[2]
        answer["jobs"] = [row for row in answer["jobs"]
                          if re.match(rf"{wanted}\b|{wanted}_", row["job_id"])]
        return call.reply(json.dumps(answer).encode())
    return call.reply(call.body)


def no_job(call):
    """A job that is no number, whatever the token is."""
    old = call.fake.release.startswith("22.05")
    return call.reply(b'{"errors": [{"error_number": 9000}], "jobs": []}', "400 BAD REQUEST" if old else "422 UNPROCESSABLE CONTENT")


def hang(call):
    call.rest()


def drip(call):
    call.send_head(call.body)
    for at in range(len(call.body)):
        call.send(call.body[at:at + 1])
        if call.rest(0.05):
            return


def slow(call):
    call.rest(0.2)
    return normal(call)


def close_unanswered(call):
    return False


def close_after(call):
    normal(call)
    return False


def close_when_reused(call):
    """Keep-alive ends just as the next request comes, as it does with an idle limit."""
    return call.served == 0 and normal(call)


def reset_when_reused(call):
    """The same from a slurmrestd that was killed, or behind a proxy that forgets connections."""
    if call.served:
        call.reset()
        return False
    return normal(call)


def cut_off(call):
    call.send_head(call.body)
    call.send(call.body[:len(call.body) // 2])


def reset(call):
    call.send_head(call.body)
    call.send(call.body[:len(call.body) // 2])
    call.rest(0.05)
    call.reset()


def endless(begin, again):
    """No end, but not more than about 6 MB/s: the machine is shared."""
    def behave(call):
        call.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
        call.send(begin % call.list.encode())
        while not call.rest(0.01):
            call.send(again * (65536 // len(again)))
    return behave


def raw(data):
    def behave(call):
        call.send(data(call) if callable(data) else data)
    return behave


def redirect(call):
    """To a path that is not slurmrestd's: following it, with the token, is a complaint."""
    call.send(b"HTTP/1.1 302 Found\r\nConnection: Close\r\nContent-Length: 0\r\n"
              b"Location: " + call.fake.url.encode() + b"/elsewhere\r\n\r\n")


def body(data, status="200 OK", kind="application/json"):
    def behave(call):
        return call.reply(data(call) if callable(data) else data, status, kind)
    return behave


def edited(edit, status="200 OK"):
    """The recorded answer with edit(answer, name of its list) applied to it."""
    def behave(call):
        answer = json.loads(call.body.decode("utf-8", "surrogateescape"))
        edit(answer, call.list)
        text = json.dumps(answer, ensure_ascii=False)
        return call.reply(text.encode("utf-8", "surrogateescape"), status)
    return behave


def twice(status, error, number=1007):
    """26.05 sends almost every error answer a second time, as text, before it closes."""
    def behave(call):
        answer = json.dumps({call.list: [], "errors": [
            {"description": f"Unable to query {call.endpoint}", "error": error,
             "error_number": number, "source": "slurm_load"}], "warnings": []}).encode()
        call.reply(answer, status)
        call.reply(error.encode(), status, "text/plain")
    return behave


def recorded(name):
    """An answer that was recorded apart: its body, and its status from the headers beside it."""
    def behave(call):
        path = FIXTURES / call.fake.release / name.format(endpoint=call.endpoint)
        head = Path(f"{path}.headers").read_text().splitlines()[0]
        return call.reply(path.read_bytes() if path.exists() else b"", head.partition(" ")[2])
    return behave


def bad_token(call):
    """ping says 200 and "down" whatever the token; 22.05 has 500 where later ones have 511."""
    if call.endpoint == "ping":
        answer = json.loads(call.body)
        for ping in answer["pings"]:
            for key, value in {"ping": "DOWN", "pinged": "DOWN", "responding": False}.items():
                if key in ping:
                    ping[key] = value
        return call.reply(json.dumps(answer).encode())
    old = call.fake.release.startswith("22.05")
    return twice("500 INTERNAL ERROR" if old else "511 Network Authentication Required",
                 REFUSED.decode())(call)


class Call:
    """One request and the connection that it came on."""

    def __init__(self, fake, connection, data, served):
        self.fake, self.connection, self.served = fake, connection, served
        self.era = fake.era
        head, _, self.rest_of_data = data.partition(b"\r\n\r\n")
        line, *headers = head.decode("latin1").split("\r\n")
        self.method, _, target = line.partition(" ")
        self.target = target.rpartition(" ")[0]
        self.headers = [(name.lower(), value.strip())
                        for name, _, value in (header.partition(":") for header in headers)]
        fits = re.fullmatch(r"/slurm(db)?/(v0\.0\.\d\d)/(jobs/state/|\w+)(?:(?<=/job|user)/([\w.-]+))?(\?.*)?", self.target)
        dbd, self.version, self.endpoint, item, self.query = fits.groups("") if fits else [""] * 5
        if dbd:
            self.endpoint = {path: endpoint for endpoint, path in OF_SLURMDBD.items()}.get(
                self.endpoint, "")
        if self.endpoint == "jobs/state/":
            self.endpoint = "job_states"
        self.is_probe = self.endpoint == "job" and item == "x"  # for the version
        if self.is_probe:
            self.endpoint = "probe"
        self.list = {**LISTS, **MORE_LISTS}.get(self.endpoint, "jobs")
        self.body = fake.answers.get((self.version, "ping")) if self.is_probe else self.one(item) if item else fake.answers.get((self.version, self.endpoint))
        if self.endpoint == "diag" and self.body:  # its clock goes
            self.body = re.sub(rb'("req_time":\s*(?:{[^}]*"number":\s*)?)\d+', rb"\g<1>%d" % time.time(), self.body)

    def one(self, item):
        """The record of that job, or user, alone."""
        name, key = ("users", "name") if self.endpoint == "dbd_user" else ("jobs", "job_id")
        answer = self.fake.answers.get((self.version, name))
        if answer:
            answer = json.loads(answer.decode("utf-8", "surrogateescape"))
            answer[name] = [record for record in answer[name] if str(record[key]) == item]
            return json.dumps(answer, ensure_ascii=False).encode("utf-8", "surrogateescape")

    def header(self, name):
        found = [value for key, value in self.headers if key == name]
        return found[0] if len(found) == 1 else None

    @property
    def token(self):
        return self.header("x-slurm-user-token")

    def send(self, data):
        self.connection.sendall(data)

    def send_head(self, data, status="200 OK", kind="application/json"):
        close = "" if status.startswith("200") else "Connection: Close\r\n"
        self.send(f"HTTP/1.1 {status}\r\n{close}Content-Length: {len(data)}\r\n"
                  f"Content-Type: {kind}\r\n\r\n".encode())

    def reply(self, data, status="200 OK", kind="application/json"):
        self.send_head(data, status, kind)
        self.send(data)
        return status.startswith("200")

    def reset(self):
        """The connection then ends with RST."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def rest(self, seconds=3600):
        """Waits; true once the behaviour was changed or the fake ends."""
        with self.fake.changed:
            return self.fake.changed.wait_for(lambda: self.fake.era != self.era, seconds)

    def is_first_look(self, names):
        return self.endpoint == "ping" and self.version == "v0.0.40" and "x-slurm-user-token" not in names

    def complaints(self):
        """What slurmrestd would not have liked about the request."""
        names = [name for name, _ in self.headers]
        flags = r"\?flags=ALL" if self.version >= "v0.0.40" else ""
        since, and_since = (r"(\?update_time=\d+)?", r"(&update_time=\d+)?") \
            if self.version >= "v0.0.42" else ("", "")
        queries = {"jobs": flags + and_since, "partitions": flags + and_since, "nodes": since,
                   "reservations": since, "job_states": r"(\?job_id=\d+)?",
                   "job": flags.replace("ALL", "LOCAL"),
                   "associations": r"(\?cluster=\w+)?",
                   "dbd_jobs": r"\?skip_steps=(true|false)(&\w+=[\w%,]+)+"}
        if self.endpoint not in (*ENDPOINTS, *MORE_ENDPOINTS, "probe", "job_states", "job", "dbd_jobs", "dbd_user"):
            yield "path"
        elif not re.fullmatch(queries.get(self.endpoint, ""), self.query):
            yield "query"
        if self.method != "GET":
            yield "method"
        if self.rest_of_data:
            yield "bytes after the request"
        if "authorization" in names:
            yield "Authorization"
        # doctor looks first who is there without showing the token
        wanted = 1 if self.fake.wants_token and not self.is_first_look(names) else 0
        for name in ("x-slurm-user-token", "x-slurm-user-name"):
            if names.count(name) != wanted:
                yield f"{names.count(name)} times {name}"
        if self.is_probe and self.token not in (None, "none") and not self.fake.wants_good_token:
            yield "a token to who may be a stranger"


class Fake:
    """Listens on 127.0.0.1 and, if a path is given, on a unix socket."""

    def __init__(self, release="26.05.5", versions=None, unix=None, key=None, wants_token=True):
        self.key, self.wants_token = key, wants_token
        self.wants_good_token = False  # before it looks at the path, as a proxy does that knows the key
        self.changed = threading.Condition()
        self.era = 0
        self.behaviours = {}
        self.calls, self.complaints = [], []
        self.connections = set()
        self.serve(release, versions)
        # A bound socket that does not listen keeps the port ours while connections are refused.
        self.reserved = self._bind(0)
        self.port = self.reserved.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.listener = None
        self.open()
        if unix:
            self.unix = socket.socket(socket.AF_UNIX)
            self.unix.bind(unix)
            self._listen(self.unix)

    @staticmethod
    def _bind(port):
        bound = socket.socket()
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        bound.bind(("127.0.0.1", port))
        return bound

    def serve(self, release, versions=None):
        """Becomes another slurmrestd."""
        self.release = release
        self.answers = {(version, endpoint):
                        (FIXTURES / release / version / f"{endpoint}.json").read_bytes()
                        for version in versions or ALL_RELEASES[release] for endpoint in ENDPOINTS}
        for version, _ in list(self.answers):
            for endpoint in MORE_ENDPOINTS:
                path = FIXTURES / release / version / (
                    f"db_{OF_SLURMDBD[endpoint]}.json" if endpoint in OF_SLURMDBD else
                    f"{endpoint}.json")
                if path.exists() and path.read_bytes().startswith(b"{"):
                    self.answers[version, endpoint] = path.read_bytes()
            nobody = json.loads(self.answers[version, "ping"])  # no job ends here
            del nobody["pings"]
            self.answers[version, "dbd_jobs"] = json.dumps({**nobody, "jobs": []}).encode()
            users = FIXTURES / release / version / "db_users.json"
            self.answers[version, "users"] = users.read_bytes()
            states = FIXTURES / release / version / "jobs_state.json"
            if version >= "v0.0.40":
                self.answers[version, "job_states"] = states.read_bytes()

    def behave(self, behaviour=normal, endpoints=ENDPOINTS):
        with self.changed:
            self.behaviours.update(dict.fromkeys(endpoints, behaviour))
            self.era += 1
            self.changed.notify_all()

    def open(self):
        self.refuses = False
        self.listener = self._bind(self.port)
        self._listen(self.listener)

    def refuse(self):
        """Ends what is connected and refuses more, but on the unix socket."""
        self.refuses = True
        self.behave()
        for ending in (self.listener, *self.connections):
            with contextlib.suppress(OSError):
                ending.shutdown(socket.SHUT_RDWR)
        self.listener.close()

    @property
    def served_calls(self):
        """Without those for versions: an error ends the connection."""
        return [call for call in list(self.calls) if not call.is_probe]

    def count(self, endpoint):
        return sum(call.endpoint == endpoint for call in list(self.calls))

    def _listen(self, listener):
        listener.listen(16)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._converse, args=(connection,), daemon=True).start()

    def _converse(self, connection):
        self.connections.add(connection)
        served = 0
        with connection:
            try:
                while data := connection.recv(65536):
                    if self.refuses and connection.family == socket.AF_INET or \
                            not self._answer(connection, data, served):
                        break
                    served += 1
            except OSError:
                pass
        self.connections.discard(connection)

    def _answer(self, connection, data, served):
        if b"\r\n\r\n" not in data:
            self.complaints.append(f"request in pieces: {data!r}")
            return False
        call = Call(self, connection, data, served)
        self.calls.append(call)
        self.complaints += [f"{why}: {call.target}" for why in call.complaints()]
        if self.wants_token and not call.token or self.wants_good_token and call.token == "none":
            return call.reply(NO_TOKEN, "401 UNAUTHORIZED", "text/plain")
        if call.body is None:
            return call.reply(NOT_FOUND, "404 NOT FOUND", "text/plain")
        if call.is_probe:
            return self.behaviours.get(call.endpoint, no_job)(call)
        if self.key and claims_of(call.token, self.key)["exp"] <= time.time():
            return bad_token(call)
        return self.behaviours.get(call.endpoint, normal)(call)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.refuse()
        self.reserved.close()
