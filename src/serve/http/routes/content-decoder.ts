/**
 * Decodes bodies with a Content-Encoding, off the event loop. A body that is larger decoded than allowed, or than the
 * budget has room for, is rejected as soon as it is: a small body cannot become a large one in memory.
 */
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ServiceError } from '../../../base/errors.js';
import type { BodyBudget } from '../transport/body-budget.js';
import type { HttpRequest } from '../transport/http-request.js';

/** Each has a window of up to 16 MiB. */
const MOST_AT_A_TIME = 4;

const PIECE = 64 << 10;

interface Decoder extends AsyncIterable<Buffer> {
  end(body: Buffer): unknown;
  destroy(): unknown;
}

const CODINGS: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'br']);
const ACCEPTED = 'gzip, deflate, br';

export class ContentDecoder {
  readonly #budget: BodyBudget;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /**
   * decode decodes the body of a request, of at most `limit` bytes; they count in the budget until the request has ended.
   * `coding` is its Content-Encoding. Rejects with ServiceError: `unsupported_media_type`, `invalid_body`,
   * `body_too_large`, `busy`.
   */
  async decode(request: HttpRequest, coding: string, limit: number): Promise<Buffer> {
    const name = coding.toLowerCase();
    if (name === 'identity') return request.body!;
    if (!CODINGS.has(name)) {
      request.response.addHeader('Accept-Encoding', ACCEPTED);
      throw new ServiceError('unsupported_media_type', `a Content-Encoding is one of ${ACCEPTED}`);
    }
    const decoding = new Decoding(this.#budget, request);
    if (this.#running === MOST_AT_A_TIME)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await decoding.run(decoderOf(name), limit);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

class Decoding {
  readonly #budget: BodyBudget;
  readonly #body: Buffer;
  #decoder: Decoder | undefined;
  #reserved = 0;
  #ended = false;

  constructor(budget: BodyBudget, request: HttpRequest) {
    this.#budget = budget;
    this.#body = request.body!;
    const { ended } = request;
    request.ended = () => {
      ended?.();
      this.#end();
    };
  }

  async run(decoder: Decoder, limit: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    this.#decoder = decoder;
    if (this.#ended) decoder.destroy();
    else decoder.end(this.#body);
    try {
      for await (const chunk of decoder) {
        if (this.#ended) throw new ServiceError('timeout');
        const size = this.#reserved + chunk.byteLength;
        if (size > limit) throw new ServiceError('body_too_large');
        if (!this.#budget.reserve(chunk.byteLength, true)) throw new ServiceError('busy');
        this.#reserved = size;
        chunks.push(chunk);
      }
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      throw new ServiceError(
        'invalid_body',
        'invalid request body: it is not what its Content-Encoding says',
      );
    }
    return Buffer.concat(chunks);
  }

  #end(): void {
    this.#ended = true;
    this.#budget.release(this.#reserved);
    this.#reserved = 0;
    this.#decoder?.destroy();
  }
}

function decoderOf(coding: string): Decoder {
  switch (coding) {
    case 'br':
      return createBrotliDecompress({ chunkSize: PIECE });
    case 'deflate':
      return createInflate({ chunkSize: PIECE });
    default:
      return createGunzip({ chunkSize: PIECE });
  }
}
