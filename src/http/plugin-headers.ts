/**
 * The header lines of a plugin's answer, beside those that the service itself adds: no header is there twice unless it is
 * a list. The service's own are left alone: the date, what the configuration says about other origins, and that an answer
 * to a token is not stored. Where a plugin says nothing, 401 and 503 get what they have everywhere.
 */
import { CHALLENGE, RETRY_AFTER } from './exchange.js';

const LINE = /\r\n([^:\r]+):[^\r]*/g;
const JSON_TYPE = '\r\nContent-Type: application/json';

/** PluginHeaders puts them together. */
export class PluginHeaders {
  readonly #cors: boolean;

  /** `cors` tells whether it is configured what other origins may do. */
  constructor(cors: boolean) {
    this.#cors = cors;
  }

  /** join is the lines of an answer: `ours` are there already, `lines` the plugin's, with a Content-Type if `typed`. */
  join(ours: string, lines: string, status: number, typed: boolean): string {
    const names = new Set<string>();
    const stored = !ours.includes('\r\nCache-Control:');
    const kept = lines.replace(LINE, (line, field: string) => {
      const name = field.toLowerCase();
      if (name === 'date' || (name === 'cache-control' && !stored)) return '';
      if (this.#cors && isPermission(name)) return '';
      names.add(name);
      return line;
    });
    const type = typed ? '' : JSON_TYPE;
    const challenge = status === 401 && !names.has('www-authenticate') ? CHALLENGE : '';
    const retry = status === 503 && !names.has('retry-after') ? RETRY_AFTER : '';
    return ours + kept + type + challenge + retry;
  }
}

/** Whether a header tells browsers what another origin may do; which headers it may read is a list that is added to. */
function isPermission(name: string): boolean {
  return name.startsWith('access-control-') && name !== 'access-control-expose-headers';
}
