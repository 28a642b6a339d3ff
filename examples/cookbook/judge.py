"""Stand in for a judge: a server that speaks OpenAI's chat protocol and rates by chance.

    python examples/cookbook/judge.py 8001

It shows what a judge costs and how limits work. Its ratings mean nothing.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from zlib import crc32


class Judge(BaseHTTPRequestHandler):
    """Rates whatever it is asked as 0, 1 or 2."""

    def do_POST(self) -> None:
        """Reply to one question, and count its tokens as a server does."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = "\n".join(message["content"] for message in asked["messages"])
        message = {"role": "assistant", "content": json.dumps({"rating": crc32(prompt.encode()) % 3})}
        body = json.dumps(
            {
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": len(prompt) // 4, "completion_tokens": 6},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Judge).serve_forever()
