"""Certificates of our own making, with the openssl command."""

import subprocess
from pathlib import Path


P256 = ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, stderr=subprocess.DEVNULL)


def make_authority(folder, name):
    openssl(folder, "req", "-x509", "-newkey", *P256, "-nodes", "-days", "2",
            "-subj", f"/CN={name}", "-addext", "keyUsage=critical,keyCertSign",
            "-keyout", f"{name}.key", "-out", f"{name}.pem")


def make_certificate(folder, name, authority, names, key=P256, more="", days=2):
    """For these alternative names, in the notation of OpenSSL. With days=-1 it has expired."""
    Path(folder, f"{name}.ext").write_text(f"subjectAltName={names}\n{more}")
    openssl(folder, "req", "-newkey", *key, "-nodes", "-subj", f"/CN={name}",
            "-keyout", f"{name}.key", "-out", f"{name}.csr")
    openssl(folder, "x509", "-req", "-days", str(days), "-in", f"{name}.csr", "-CA", f"{authority}.pem",
            "-CAkey", f"{authority}.key", "-CAcreateserial", "-extfile", f"{name}.ext", "-out", f"{name}.pem")
