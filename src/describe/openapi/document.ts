/**
 * The OpenAPI document of a database: made once for its scripts and proofs, and from that one for each set of operations that
 * callers may run. Texts of JSON are joined, because a document may have thousands of operations.
 */
import { createHash } from 'node:crypto';
import { recent, type RecentBounds } from '../../base/recent.js';
import type { DocumentReader } from '../../messages/tasks.js';
import type { DocumentAccess } from './document-access.js';
import { ERROR_RESPONSES, ERROR_SCHEMA } from './errors.js';
import type { DescribedScript, Operation } from './operation.js';

/** A document as text, and the hash of it. */
export interface DocumentText {
  readonly text: string;
  readonly hash: string;
}

/** An operation whose description is text. */
interface Part {
  readonly operation: Operation;
  readonly needsToken: boolean;
  readonly json: string;
  /** The script that it is of. */
  readonly script: Schemas;
}

/** The schemas of a script, as members of an object. */
interface Schemas {
  readonly json: string;
}

const KEPT: RecentBounds = { entries: 40, characters: 80_000_000 };

const BEARER = [{ bearer: [] }];

export interface DocumentOptions {
  /** Of the database. */
  readonly alias: string;
  /** From the document to the base of all paths: a relative URL holds behind a proxy that adds a prefix. */
  readonly base: string;
  readonly access: DocumentAccess;
}

export class OpenApiDocument {
  readonly #options: DocumentOptions;
  readonly #parts: Part[] = [];
  readonly #texts = recent<DocumentText>(KEPT, (key, { text }) => key.length + text.length);

  constructor(options: DocumentOptions) {
    this.#options = options;
  }

  /** add adds a script. */
  add({ operations, schemas }: DescribedScript): void {
    const { access } = this.#options;
    const members = Object.entries(schemas).map(
      ([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`,
    );
    const script: Schemas = { json: members.join(',') };
    for (const operation of operations) {
      const needsToken = access.needsToken(operation);
      const security = needsToken ? BEARER : [{}, ...BEARER];
      const { description } = operation;
      const json = JSON.stringify(access.hasTokens ? { ...description, security } : description);
      this.#parts.push({ operation, needsToken, json, script });
    }
  }

  /** textFor gives the document with the operations that a caller may run. */
  textFor(reader: DocumentReader): DocumentText {
    const { access, alias } = this.#options;
    const visible = this.#parts.map(({ operation, needsToken }) =>
      access.mayRun(reader, operation, alias, needsToken),
    );
    const key = visible.map(Number).join('');
    let made = this.#texts.get(key);
    if (made === undefined)
      this.#texts.set(key, (made = this.#make(this.#parts.filter((_, i) => visible[i]))));
    return made;
  }

  #make(parts: readonly Part[]): DocumentText {
    const { alias, base } = this.#options;
    const tags = [...new Set(parts.map(({ operation }) => operation.folder))];
    const rest = [
      `"servers":${JSON.stringify([{ url: base }])}`,
      `"tags":${JSON.stringify(tags.map((name) => ({ name })))}`,
      `"paths":{${pathsOf(parts)}}`,
      `"components":${this.#components(parts)}`,
    ].join(',');
    // A document changes with what it describes, and so does its version.
    const version = createHash('sha256').update(rest).digest('hex').slice(0, 12);
    const info = { title: alias, description: ABOUT, version };
    const text = `{"openapi":"3.1.0","info":${JSON.stringify(info)},${rest}}\n`;
    return { text, hash: createHash('sha256').update(text).digest('base64url') };
  }

  #components(parts: readonly Part[]): string {
    const scripts = [...new Set(parts.map(({ script }) => script))];
    const schemas = [`"Error":${JSON.stringify(ERROR_SCHEMA)}`, ...scripts.map(({ json }) => json)];
    const members = [
      `"schemas":{${schemas.filter((json) => json !== '').join(',')}}`,
      `"responses":${JSON.stringify(ERROR_RESPONSES)}`,
      `"parameters":${JSON.stringify({ renderer: RENDERER })}`,
    ];
    if (this.#options.access.hasTokens)
      members.push(`"securitySchemes":${JSON.stringify({ bearer: SCHEME })}`);
    return `{${members.join(',')}}`;
  }
}

const ABOUT = 'What the scripts of this database take and give, as far as the caller may run them.';

const RENDERER = {
  name: '_renderer',
  in: 'query',
  description: 'The response as XML.',
  schema: { type: 'string', enum: ['xml'] },
};

const SCHEME = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' };

/** Members of the Paths Object; the operations of a path need not follow each other. */
function pathsOf(parts: readonly Part[]): string {
  const paths = new Map<string, string[]>();
  for (const { operation, json } of parts) {
    const { path, method } = operation;
    const operations = paths.get(path) ?? [];
    operations.push(`"${method.toLowerCase()}":${json}`);
    paths.set(path, operations);
  }
  return [...paths]
    .map(([path, operations]) => `${JSON.stringify(path)}:{${operations.join(',')}}`)
    .join(',');
}
