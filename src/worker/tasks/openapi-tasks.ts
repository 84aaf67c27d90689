/**
 * The OpenAPI documents of the databases, and clients for them, as a task of a worker: made anew only when scripts, their
 * paths or their proofs have changed, a few scripts at a time.
 */
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { TypeScriptClient } from '../../describe/client/typescript-client.js';
import { describeScript } from '../../describe/openapi/describe.js';
import { OpenApiDocument, type DocumentText } from '../../describe/openapi/document.js';
import { DocumentAccess } from '../../describe/openapi/document-access.js';
import { ownPaths } from '../../describe/openapi/own-paths.js';
import { recent } from '../../base/recent.js';
import { routesOf } from '../../script/route-list.js';
import type { RoutedScript, UsableScript } from '../../script/scripts.js';
import { inSlices } from '../../base/slices.js';
import { methodsOf } from '../../script/verb.js';
import type { WorkerSettings } from '../../messages/worker-settings.js';
import type { WorkerParts } from '../worker-parts.js';
import type { DocumentReader, OpenApiRequest, OpenApiResponse } from '../../messages/tasks.js';

interface Made {
  readonly usable: readonly UsableScript[];
  readonly routed: readonly RoutedScript[];
  /** The version of the cache of proofs. */
  readonly version: number;
  readonly document: Promise<OpenApiDocument>;
}

/** The parts of a worker that it needs; `databases` has the aliases of the configuration. */
export interface OpenApiParts extends Pick<WorkerParts, 'scripts' | 'proofs' | 'log'> {
  readonly settings: Pick<WorkerSettings, 'openapi' | 'defaultAlias'>;
  readonly databases: Pick<ReadonlySet<string>, 'has' | 'keys'>;
}

export class OpenApiTasks {
  readonly #parts: OpenApiParts;
  readonly #defaultAlias: string;
  readonly #registry: boolean;
  readonly #access: DocumentAccess;
  /** By the alias in the path; undefined for a path without one. */
  readonly #made = new Map<string | undefined, Made>();

  /** By the hash of the document; as many as there may be documents for different callers. */
  readonly #clients = recent<Promise<DocumentText>>({ entries: 40 });

  constructor(parts: OpenApiParts) {
    this.#parts = parts;
    this.#defaultAlias = parts.settings.defaultAlias;
    const { registry, auth } = parts.settings.openapi!; // without it there is no such request
    this.#registry = registry;
    this.#access = new DocumentAccess(auth);
  }

  /** respond rejects with ServiceError `busy`. */
  async respond(request: OpenApiRequest): Promise<OpenApiResponse> {
    const { form, database, reader, ifNoneMatch } = request;
    const document = (await this.#document(database)).textFor(reader);
    const { text, hash } = form === 'json' ? document : await this.#client(document);
    const etag = `"${hash}"`;
    // The hash is in no other tag.
    const isSame = ifNoneMatch.includes(etag) || ifNoneMatch.trim() === '*';
    return { text: isSame ? undefined : text, etag };
  }

  /**
   * databases lists the databases with scripts that a caller may run under `/_QUERIES`, and first the default one, which
   * every document names. Rejects with ServiceError `busy`.
   */
  async databases(reader: DocumentReader): Promise<readonly string[]> {
    const { databases, scripts } = this.#parts;
    const found = [this.#defaultAlias];
    for (const alias of databases.keys())
      if (alias !== this.#defaultAlias) {
        const usable = await scripts.usable(alias, performance.now());
        if (usable.some((script) => this.#mayRun(reader, alias, script))) found.push(alias);
      }
    return found;
  }

  #mayRun(reader: DocumentReader, alias: string, { folder, name, text }: UsableScript): boolean {
    const path = `/_QUERIES/${alias}/${folder}/${name}`;
    const needsToken = this.#access.needsToken({ path });
    return (
      !this.#isRegistry(folder) &&
      methodsOf(text.verb).some((method) =>
        this.#access.mayRun(reader, { folder, name, method }, alias, needsToken),
      )
    );
  }

  /** Whether scripts of a folder have no path under `/_QUERIES`. */
  #isRegistry(folder: string): boolean {
    return this.#registry && folder === 'registry';
  }

  async #client({ text, hash }: DocumentText): Promise<DocumentText> {
    let made = this.#clients.get(hash);
    if (made === undefined) this.#clients.set(hash, (made = makeClient(text)));
    return made;
  }

  async #document(database: string | undefined): Promise<OpenApiDocument> {
    const alias = database ?? this.#defaultAlias;
    const now = performance.now();
    const { scripts, proofs } = this.#parts;
    const usable = await scripts.usable(alias, now);
    const routed = await scripts.routed(this.#defaultAlias, now);
    const { version } = proofs;
    const before = this.#made.get(database);
    if (before?.usable === usable && before.routed === routed && before.version === version)
      return before.document;
    const document = this.#make(database, alias, usable, routed);
    this.#made.set(database, { usable, routed, version, document });
    return document;
  }

  async #make(
    database: string | undefined,
    alias: string,
    usable: readonly UsableScript[],
    routed: readonly RoutedScript[],
  ): Promise<OpenApiDocument> {
    const base = database === undefined ? '..' : '../..';
    const document = new OpenApiDocument({ alias, base, access: this.#access });
    const { databases, proofs, log } = this.#parts;
    const served = routed.filter((one) => one.alias === undefined || databases.has(one.alias));
    const paths = ownPaths(routesOf(served, this.#defaultAlias).routes, alias);
    await inSlices(usable, ({ folder, name, text }) => {
      const path = `${folder}/${name}`;
      const script = {
        alias: database,
        folder,
        name,
        text,
        proof: proofs.recordOf({ alias, script: path, verb: text.verb }, text.template),
        paths: paths.get(path) ?? [],
        isNamed: !this.#isRegistry(folder),
      };
      try {
        document.add(describeScript(script, this.#access.hasTokens));
      } catch (err) {
        log.error({ script: path, alias, err }, 'a script is left out of the OpenAPI document');
      }
    });
    return document;
  }
}

async function makeClient(document: string): Promise<DocumentText> {
  const client = new TypeScriptClient(JSON.parse(document));
  await inSlices(client.operations, (operation) => client.add(operation));
  const text = client.text();
  return { text, hash: createHash('sha256').update(text).digest('base64url') };
}
