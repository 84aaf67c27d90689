/** What came of requests, counted: as expected, an error, a wrong answer, or none in time. */
import type { HttpAnswer, Reply } from './http-connection.js';
import type { RequestKind } from './requests.js';

export type Verdict = 'good' | 'error' | 'wrong' | 'hung';

/** codeOf is the code in the body of an error answer; empty when there is none. */
export function codeOf({ body }: HttpAnswer): string {
  try {
    const { code } = JSON.parse(body.toString()) as { readonly code?: unknown };
    return typeof code === 'string' ? code : '';
  } catch {
    return '';
  }
}

/** verdictOn compares a reply with what the request must be answered; `mayCut`: its HTTP process may have been killed. */
export function verdictOn(kind: RequestKind, n: number, reply: Reply, mayCut: boolean): Verdict {
  if (reply === 'hung') return 'hung';
  if (reply === 'garbled' || (reply === 'cut' && !mayCut)) return 'wrong';
  if (typeof reply === 'string') return 'error';
  const { status, headers, body } = reply;
  if ((headers.get('x-request-id') ?? `r${n}`) !== `r${n}`) return 'wrong';
  if (status === 200 || status === kind.status)
    return status === kind.status && sameJson(body, kind.expected(n)) ? 'good' : 'wrong';
  // An error answer has a code; the message of a raised error is that of its own request alone.
  const code = codeOf(reply);
  return status >= 400 && code !== '' && code !== 'P0001' ? 'error' : 'wrong';
}

function sameJson(body: Buffer, expected: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(body.toString())) === JSON.stringify(expected);
  } catch {
    return false;
  }
}

/** What was seen while one fault was tried. */
export class Tally {
  requests = 0;
  wrong = 0;
  hung = 0;
  /** Errors by status and code, or by how the connection ended. */
  readonly errors = new Map<string, number>();
  /** The first wrong answers, to find the cause. */
  readonly samples: string[] = [];

  add(verdict: Verdict, request: string, reply: Reply): void {
    this.requests++;
    const short = shortOf(reply);
    if (verdict === 'hung') this.hung++;
    if (verdict === 'error') this.errors.set(short, (this.errors.get(short) ?? 0) + 1);
    if (verdict === 'wrong') {
      this.wrong++;
      const body = typeof reply === 'string' ? '' : reply.body.toString('utf8', 0, 200);
      this.sample(`${request}: ${short} ${body}`);
    }
  }

  sample(text: string): void {
    if (this.samples.length < 5) this.samples.push(text);
  }

  /**
   * Whether clients could have noticed nothing of a fault: no error but that the machine was too busy for http.timeout,
   * which is short here, for less than one request in a hundred.
   */
  get unnoticed(): boolean {
    const late = (this.errors.get('504 timeout') ?? 0) + (this.errors.get('503 busy') ?? 0);
    return this.errorCount === late && late * 100 <= this.requests;
  }

  get errorCount(): number {
    let count = 0;
    for (const number of this.errors.values()) count += number;
    return count;
  }
}

/** shortOf is a reply in a few words: `503 57P01`, `reset`. */
export function shortOf(reply: Reply): string {
  return typeof reply === 'string' ? reply : `${reply.status} ${codeOf(reply)}`.trim();
}
