/**
 * Plugins, as HTTP knows them: which requests reach one, and what becomes of its answers. Refuses methods that no function
 * is looked for by, more requests than leave room for others, and large answers while too much of them is still being
 * sent to slow clients.
 */
import type { Caller } from '../auth/caller.js';
import { ServiceError, wantsXml } from '../errors.js';
import type { Logger } from '../log.js';
import { PLUGIN_METHODS } from '../native/plugin-pool.js';
import { Plugins, type LibrarySource, type PluginResults } from '../plugin/plugins.js';
import { XmlMaker } from '../pool/xml-maker.js';
import {
  JSON_BODY,
  type FrontEndSettings,
  type LibraryPart,
  type LibraryRefusal,
} from '../protocol.js';
import type { RequestParts } from './dispatcher.js';
import { isBodiless, PLUGINS, TYPED, type Crowd, type Exchange } from './exchange.js';
import type { ExchangeTable } from './exchange-table.js';
import { PluginHeaders } from './plugin-headers.js';
import type { PluginRoute } from './route-table.js';

const NO_METHOD =
  'plugins have functions for registered methods alone, in capital letters, such as GET';

/** What a name that C reads as a whole does not hold: NUL would end it, and it would be somebody else's. */
const NO_NAME = /[\0\p{Cs}]/u;

/** Answers up to this length (bytes) are sent whatever else is being sent. */
const SMALL = 65_536;

/** How much of large answers may still be being sent (bytes), and of how many of the largest. */
const SENDING = 64 << 20;
const SENDING_LARGEST = 8;

/** Largest answer that XML is made of (bytes): others wait for the thread that does it. */
const XML_LIMIT = 8 << 20;

const XML_TYPE = '\r\nContent-Type: application/xml';

const NOTHING = new Uint8Array(0);

/** What a door works with. */
export interface PluginDoorParts {
  readonly exchanges: ExchangeTable;
  readonly libraries: LibrarySource;
  readonly log: Logger;
}

/** PluginDoor passes requests to plugins and their answers back. */
export class PluginDoor implements PluginResults {
  readonly #parts: PluginDoorParts;
  readonly #plugins: Plugins;
  readonly #headers: PluginHeaders;
  readonly #xml: XmlMaker;
  readonly #crowd: Crowd = { size: 0, sending: 0 };
  /** Most bytes that may still be being sent when another large answer is to be. */
  readonly #sending: number;

  constructor({ plugins, cors }: FrontEndSettings, parts: PluginDoorParts) {
    this.#parts = parts;
    this.#plugins = new Plugins(plugins, parts.libraries, this, parts.log);
    this.#headers = new PluginHeaders(cors !== undefined);
    this.#xml = new XmlMaker(parts.log);
    this.#sending = Math.max(SENDING, SENDING_LARGEST * plugins.maxResponse);
  }

  /** pass has a plugin answer a request. Throws ServiceError: `handler_not_found`, `permission_denied`, `busy`. */
  pass(
    exchange: Exchange,
    { headers, body }: RequestParts,
    { file, func }: PluginRoute,
    caller: Caller | undefined,
  ): void {
    const { id, method, path, query, requestId } = exchange;
    if (!PLUGIN_METHODS.has(method)) throw new ServiceError('handler_not_found', NO_METHOD);
    const { name: user = '', claims = '' } = caller ?? {};
    if (NO_NAME.test(user)) throw new ServiceError('permission_denied');
    if (!this.#parts.exchanges.join(exchange, this.#crowd))
      throw new ServiceError('busy', 'too many requests wait for plugins already');
    exchange.worker = PLUGINS;
    this.#plugins.submit({
      id,
      method,
      file,
      func,
      path,
      query,
      headers,
      requestId,
      user,
      claims,
      body,
    });
  }

  /** abandon tells that nobody waits for a request any more. */
  abandon(id: number): void {
    this.#plugins.abandon(id);
  }

  /** arrived takes what the supervisor sends of a library. */
  arrived(message: LibraryPart | LibraryRefusal): void {
    this.#plugins.arrived(message);
  }

  /** close ends all plugins, whatever they do. */
  async close(): Promise<void> {
    this.#plugins.close();
    await this.#xml.close();
  }

  /** answered passes an answer on; see PluginResults. */
  answered(id: number, status: number, typed: boolean, lines: string, body: Uint8Array): void {
    const { exchanges } = this.#parts;
    const exchange = exchanges.waiting(id);
    if (exchange === undefined) return; // too late: timed out or gone
    try {
      this.#admit(body.byteLength);
      if (!typed && body.byteLength > 0 && wantsXml(exchange.query) && !isBodiless(status))
        this.#answerXml(exchange, status, lines, body);
      else this.#answer(exchange, status, typed, lines, body);
    } catch (error) {
      exchanges.failed(exchange, error);
    }
  }

  /** failed answers a request that came to nothing. */
  failed(id: number, error: ServiceError): void {
    const { exchanges } = this.#parts;
    const exchange = exchanges.waiting(id);
    if (exchange === undefined) return;
    exchange.worker = -1; // there is nothing left to abandon
    exchanges.failed(exchange, error);
  }

  /** Throws when an answer of a length is not to be sent now. */
  #admit(length: number): void {
    if (length > SMALL && this.#crowd.sending > this.#sending)
      throw new ServiceError('busy', 'too many large answers are being sent already');
  }

  #answer(
    exchange: Exchange,
    status: number,
    typed: boolean,
    lines: string,
    body: Uint8Array,
  ): void {
    const { exchanges } = this.#parts;
    const content = status === 205 ? NOTHING : body;
    if (lines === '') {
      exchanges.answer(exchange, status, JSON_BODY, content);
      return;
    }
    exchange.lines = this.#headers.join(exchange.lines, lines, status, typed || isBodiless(status));
    exchanges.answer(exchange, status, TYPED, content);
  }

  /** Answers in XML. */
  #answerXml(exchange: Exchange, status: number, lines: string, body: Uint8Array): void {
    const { exchanges } = this.#parts;
    if (body.byteLength > XML_LIMIT) throw tooLargeForXml();
    this.#xml
      .make(body)
      .then((made) => {
        if (exchanges.waiting(exchange.id) !== exchange) return;
        if (made === 'too_large') throw tooLargeForXml();
        if (made === 'no_json') this.#answer(exchange, status, false, lines, body);
        else {
          this.#admit(made.xml.length); // others may have begun to be sent meanwhile
          exchange.lines = this.#headers.join(exchange.lines, XML_TYPE + lines, status, true);
          exchanges.answer(exchange, status, TYPED, made.xml);
        }
      })
      .catch((error: unknown) => {
        if (exchanges.waiting(exchange.id) === exchange) exchanges.failed(exchange, error);
      });
  }
}

function tooLargeForXml(): ServiceError {
  return new ServiceError('plugin_response_too_large', 'the answer is too large for XML');
}
