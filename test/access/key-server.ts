/** An issuer's web server: gives the answer that a test sets, and records requests. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

export type Answer = (res: ServerResponse, req: IncomingMessage) => void;

/** KeyServer runs until the test ends. */
export class KeyServer {
  /** Paths of the requests. */
  readonly asked: string[] = [];
  answer: Answer;
  readonly #server: Server;

  private constructor(answer: Answer) {
    this.answer = answer;
    this.#server = createServer((req, res) => {
      this.asked.push(req.url!);
      this.answer(res, req);
    });
  }

  /** start starts a server that answers with a text. */
  static async start(t: Test, text = ''): Promise<KeyServer> {
    const server = new KeyServer(gives(text));
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    t.teardown(() => {
      server.#server.close();
      server.#server.closeAllConnections();
    });
    return server;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }
}

/** gives answers with a text. */
export function gives(text: string, status = 200): Answer {
  return (res) => res.writeHead(status, { 'content-type': 'application/json' }).end(text);
}
