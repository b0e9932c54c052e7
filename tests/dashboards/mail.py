"""A mail server on loopback that keeps what it gets: as much of SMTP as Alertmanager speaks."""

import email
import email.policy
import socketserver
import threading


class Mail:
    def __init__(self):
        self.kept, self.lock = [], threading.Lock()
        mail = self

        class Handler(socketserver.StreamRequestHandler):
            def say(self, line):
                self.wfile.write(line.encode() + b"\r\n")

            def letter(self):
                lines = iter(self.rfile.readline, b".\r\n")
                return b"".join(line[1:] if line.startswith(b".") else line for line in lines)

            def handle(self):
                self.say("220 here")
                to = []
                while line := self.rfile.readline().decode().strip():
                    word = line[:4].upper()
                    if word == "RCPT":
                        to.append(line.partition("<")[2].partition(">")[0])
                    elif word == "DATA":
                        self.say("354 go on")
                        mail.keep(to, self.letter())
                        to = []
                    self.say("221 bye" if word == "QUIT" else "250 fine")
                    if word == "QUIT":
                        return

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def keep(self, to, letter):
        with self.lock:
            self.kept.append((to, email.message_from_bytes(letter, policy=email.policy.default)))

    def letters(self):
        """[(addresses, message)]"""
        with self.lock:
            return list(self.kept)
