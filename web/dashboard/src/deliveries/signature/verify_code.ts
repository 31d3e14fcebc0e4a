// The example programs of docs/webhooks.md. A test compares them with that page.

export const VERIFY_CODE: { name: string; code: string }[] = [
  {
    name: 'Rust',
    code: `use std::io::Read;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mut body = Vec::new();
    std::io::stdin().read_to_end(&mut body).expect("a body");
    if confab_verify::verify(&arguments[1], &body, &arguments[2]).is_err() {
        std::process::exit(1);
    }
}`,
  },
  {
    name: 'JavaScript',
    code: `const crypto = require("node:crypto");

function isFromConfab(secretKey, rawBody, signature) {
  const expected = crypto.createHmac("sha256", secretKey).update(rawBody).digest();
  const given = Buffer.from(signature ?? "", "base64");
  return given.length === expected.length && crypto.timingSafeEqual(given, expected);
}

const rawBody = require("node:fs").readFileSync(0); // in Express: express.raw({ type: "*/*" })
process.exit(isFromConfab(process.argv[2], rawBody, process.argv[3]) ? 0 : 1);`,
  },
  {
    name: 'Python',
    code: `import base64, hashlib, hmac, sys

def is_from_confab(secret_key: str, raw_body: bytes, signature: str | None) -> bool:
    digest = hmac.new(secret_key.encode(), raw_body, hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64encode(digest), (signature or "").encode())

raw_body = sys.stdin.buffer.read()  # in Flask: request.get_data()
sys.exit(0 if is_from_confab(sys.argv[1], raw_body, sys.argv[2]) else 1)`,
  },
  {
    name: 'Go',
    code: `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"os"
)

func isFromConfab(secretKey string, rawBody []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(secretKey))
	mac.Write(rawBody)
	given, err := base64.StdEncoding.DecodeString(signature)
	return err == nil && hmac.Equal(given, mac.Sum(nil))
}

func main() {
	rawBody, _ := io.ReadAll(os.Stdin) // in a handler: io.ReadAll(request.Body)
	if !isFromConfab(os.Args[1], rawBody, os.Args[2]) {
		os.Exit(1)
	}
}`,
  },
  {
    name: 'PHP',
    code: `<?php
function isFromConfab(string $secretKey, string $rawBody, string $signature): bool
{
    $expected = base64_encode(hash_hmac('sha256', $rawBody, $secretKey, true));
    return hash_equals($expected, $signature);
}

$rawBody = file_get_contents('php://stdin'); // in a web server: php://input
exit(isFromConfab($argv[1], $rawBody, $argv[2]) ? 0 : 1);`,
  },
]
