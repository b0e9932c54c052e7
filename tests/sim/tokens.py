"""Tokens as slurmctld makes them: JWT with HS256, without a library."""

import base64
import hmac
import json
import time

KEY = b"a key that only the tests know, 32 bytes or more"


def encode(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=")


def make_token(seconds=3600, user="scope", key=KEY):
    now = int(time.time())
    claims = {"sun": user, "iat": now, "exp": now + seconds}
    signed = b".".join(encode(json.dumps(part).encode())
                       for part in ({"alg": "HS256", "typ": "JWT"}, claims))
    return (signed + b"." + encode(hmac.digest(key, signed, "sha256"))).decode()
