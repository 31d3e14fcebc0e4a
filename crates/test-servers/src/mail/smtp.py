"""An SMTP server for tests: aiosmtpd, which stores each mail as a file.

Arguments: the port, the folder, the password, and, to require STARTTLS, the files of a certificate
and its key. Some recipients are special: `grey` is accepted at the second attempt, `refused` never,
and for `lost` the connection breaks after the first mail. While the folder contains a file
`ascii_only`, SMTPUTF8 is not announced. A file `password` in the folder replaces the password.
"""
import asyncio
import pathlib
import ssl
import sys

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

port, folder, password = int(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
seen = set()
count = 0


def authenticator(server, session, envelope, mechanism, data):
    good = (folder / "password").read_text().strip() if (folder / "password").exists() else password
    # With `handled=False` aiosmtpd sends the response itself.
    return AuthResult(success=data.password.decode() == good, handled=False)


class Handler:
    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        session.host_name = hostname
        if (folder / "ascii_only").exists():
            return [line for line in responses if not line.endswith("SMTPUTF8")]
        return responses

    async def handle_RCPT(self, server, session, envelope, address, options):
        name = address.split("@")[0]
        if name == "refused":
            return "550 5.1.1 No such user here"
        if name == "grey" and address not in seen:
            seen.add(address)
            return "451 4.7.1 Greylisted, come back later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        global count
        count += 1
        part = folder / f"{count:04}.part"
        head = f"X-From: {envelope.mail_from}\r\nX-To: {','.join(envelope.rcpt_tos)}\r\n"
        part.write_bytes(head.encode() + envelope.content)
        part.rename(folder / f"{count:04}.eml")
        address = envelope.rcpt_tos[0]
        if address.startswith("lost@") and address not in seen:
            seen.add(address)
            server.transport.abort()
        return "250 OK"


tls = None
if len(sys.argv) > 4:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(sys.argv[4], sys.argv[5])
controller = Controller(
    Handler(), hostname="127.0.0.1", port=port, authenticator=authenticator,
    auth_required=True, auth_require_tls=tls is not None, data_size_limit=40_000_000,
    tls_context=tls, require_starttls=tls is not None,
)
controller.start()
print("ready", flush=True)
asyncio.new_event_loop().run_forever()
