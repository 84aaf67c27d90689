/** The header lines with the position of a write, which callers send back to read what they wrote. */
import { headerLine } from '../../base/headers.js';
import { formatPosition, type WalPosition } from '../../postgres/statement/wal-position.js';
import { positionName } from '../../base/lsn-name.js';
import type { PositionCookies } from '../../messages/database-settings.js';
import type { WorkerSettings } from '../../messages/worker-settings.js';

/** How long browsers send a position back, s: replicas that are further behind get no requests. */
const COOKIE_AGE = 60;

export class PositionLines {
  readonly #defaultAlias: string;
  /** Undefined when no cookies are set. */
  readonly #attributes: string | undefined;

  constructor({ defaultAlias, replication }: Pick<WorkerSettings, 'defaultAlias' | 'replication'>) {
    this.#defaultAlias = defaultAlias;
    const { cookies } = replication;
    this.#attributes = cookies === undefined ? undefined : attributesOf(cookies);
  }

  /** of gives the lines of a response to a write to a database with replicas. */
  of(alias: string, position: WalPosition): string {
    const name = positionName(alias, this.#defaultAlias);
    const text = formatPosition(position);
    const line = headerLine('Service-LSN', name === '' ? text : `${name}=${text}`);
    if (this.#attributes === undefined) return line;
    // A cookie for each database: browsers replace one of the same name.
    const cookie = name === '' ? 'Service-LSN' : `Service-LSN-${name}`;
    return line + headerLine('Set-Cookie', `${cookie}=${text}; ${this.#attributes}`);
  }
}

function attributesOf({ path, secure }: PositionCookies): string {
  const attributes = `Path=${path}; Max-Age=${COOKIE_AGE}; HttpOnly; SameSite=Lax`;
  return secure ? `${attributes}; Secure` : attributes;
}
