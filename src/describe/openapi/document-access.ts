/** Who may run an operation: the rules of requests, asked before there is one. */
import { permissionFor, ScriptAccess } from '../../access/script-access.js';
import { Whitelist } from '../../access/whitelist.js';
import type { DocumentSettings } from '../../messages/worker-settings.js';
import type { DocumentReader } from '../../messages/tasks.js';
import type { Operation } from './operation.js';

/** Values for parameters in a path: one that is matched with either needs no token. */
const SAMPLES: readonly string[] = ['1', 'a'];

export class DocumentAccess {
  /** Whether there are requests that need a token. */
  readonly hasTokens: boolean;
  readonly #whitelist: Whitelist;
  readonly #scripts: ScriptAccess | undefined;

  constructor(auth: DocumentSettings['auth']) {
    this.hasTokens = auth !== undefined;
    this.#whitelist = new Whitelist(auth?.whitelist ?? []);
    this.#scripts = auth?.scripts && new ScriptAccess(auth.scripts);
  }

  /** needsToken tells whether an operation needs a token. */
  needsToken({ path }: Pick<Operation, 'path'>): boolean {
    if (!this.hasTokens) return false;
    return this.#scripts !== undefined || !SAMPLES.some((one) => this.#isOpen(path, one));
  }

  /** mayRun tells whether a caller may run an operation of the database `alias`. */
  mayRun(
    reader: DocumentReader,
    { folder, name, method }: Pick<Operation, 'folder' | 'name' | 'method'>,
    alias: string,
    needsToken: boolean,
  ): boolean {
    if (!reader.isAdmitted || (needsToken && !reader.isIdentified)) return false;
    if (this.#scripts === undefined) return true;
    return (this.#scripts.permissions(reader, alias, folder, name) & permissionFor(method)) !== 0;
  }

  #isOpen(path: string, sample: string): boolean {
    const segments = path.split('/').map((segment) => {
      if (segment.startsWith('{')) return sample;
      return segment.includes('%') ? decodeURIComponent(segment).replaceAll('/', '%2F') : segment;
    });
    return this.#whitelist.has(segments.join('/'));
  }
}
