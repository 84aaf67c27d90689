/** One text of a script on a database, and its description: an operation for each of its paths and methods. */
import type { ProofRecord } from '../../messages/proofs.js';
import type { ScriptText } from '../../script/script-text.js';
import type { Template } from '../../template/template.js';
import type { OwnPath } from './own-paths.js';
import type { Schema } from './schema.js';

/** The parts of a text that are described. */
export type DocumentedText = Pick<ScriptText, 'verb' | 'head'> & {
  readonly template: Pick<Template, 'name' | 'text'>;
};

export interface DocumentedScript {
  /** Undefined for a script of the default database. */
  readonly alias: string | undefined;
  readonly folder: string;
  readonly name: string;
  readonly text: DocumentedText;
  /** The proof of exactly this text on this database; undefined without one. */
  readonly proof: ProofRecord | undefined;
  readonly paths: readonly OwnPath[];
  /** Whether it has a path under `/_QUERIES`. */
  readonly isNamed: boolean;
}

export interface Operation {
  readonly folder: string;
  readonly name: string;
  readonly path: string;
  /** In upper case. */
  readonly method: string;
  /** The Operation Object, without `security`. */
  readonly description: Schema;
}

/** The operations of a script, and the schemas that they refer to, by name. */
export interface DescribedScript {
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, Schema>>;
}
