/** Proofs of scripts as plain data: as they are reported, kept, and sent to all processes and threads of a service. */

/**
 * `proved`: PostgreSQL parses every text that the script can render; `covered`: the same for every pair of choices; `open`:
 * no fault was found, and what is listed cannot be decided; `broken`: a branch fails; `unproved`: no fault was found so far, as
 * PostgreSQL was not asked about every text, for the reason that is listed.
 */
export const VERDICTS = ['proved', 'covered', 'open', 'broken', 'unproved'] as const;

export type Verdict = (typeof VERDICTS)[number];

/** A place in the template, from 1; undefined if unknown. */
interface RecordedPlace {
  readonly line?: number;
  readonly column?: number;
}

export interface RecordedFinding extends RecordedPlace {
  readonly message: string;
  /** An SQLSTATE, or a code of src/base/errors.ts. */
  readonly code: string;
  readonly hint?: string;
  /** The condition: `types` is sent twice. */
  readonly when: string;
}

export interface RecordedPoint extends RecordedPlace {
  readonly what: string;
}

export interface RecordedParameter {
  /** With its prefix: `header.`, `body.`, `claims.`. */
  readonly name: string;
  /** Whether no request without it gets an answer; false too when that is not proved. */
  readonly required: boolean;
  /**
   * When it is needed although it is not required: `by` is "date". Undefined when it is not, when that is not proved, or when
   * it has no short form.
   */
  readonly neededWhen: string | undefined;
  /** Names of the types that it is bound with, sorted; none when it is only text of the statement, or only looked at. */
  readonly types: readonly string[];
  /** The labels of the one enum that it is bound with, or of which an array is. */
  readonly labels?: readonly string[];
  /** Whether it may be sent more than once. */
  readonly list: boolean;
  /** The texts that the script compares it with, or the values that it declares. */
  readonly values: readonly string[];
}

export interface RecordedColumn {
  readonly name: string;
  readonly type: string;
  /** Also when that cannot be known; undefined when the statements are not analysed. */
  readonly nullable: boolean | undefined;
}

/** What holds for the value of a parameter. */
export interface RecordedCondition {
  /** With its prefix. */
  readonly name: string;
  /** Follows the name in a sentence: `is sent`, `is not sent`, `is "date"` with the value as JSON, and others. */
  readonly says: string;
}

/** What the proof of one text shows. */
export interface ProofRecord {
  readonly verdict: Verdict;
  readonly findings: readonly RecordedFinding[];
  readonly open: readonly RecordedPoint[];
  /** In the order in which the template asks for them. */
  readonly parameters: readonly RecordedParameter[];
  /** The columns of each form that the result has. */
  readonly columns: readonly (readonly RecordedColumn[])[];
  /**
   * For each form the conditions under which, and only under which, a result has it, as far as the tried combinations show;
   * null when they have no short form.
   */
  readonly columnsWhen: readonly (readonly RecordedCondition[] | null)[];
  /** How many combinations were rendered, how many texts they gave, and how many statements PostgreSQL parsed. */
  readonly combinations: number;
  readonly texts: number;
  readonly statements: number;
}

/**
 * What a proof rests on in the catalogs of a database, so that it need not be repeated as long as that is the same: versions,
 * and a digest of what the text names. For proof/prover alone.
 */
export interface CatalogFingerprint {
  readonly alias: string;
  readonly general: string;
  readonly named: string;
  /** Names of the relations, functions and types that the statements use; undefined when they are not known. */
  readonly names: readonly string[] | undefined;
  readonly digest: string;
}

/** What a record has that shows nothing, besides its verdict. */
export const NOTHING_SHOWN = {
  findings: [],
  open: [],
  parameters: [],
  columns: [],
  columnsWhen: [],
  combinations: 0,
  texts: 0,
  statements: 0,
} as const;

/** isUndecided tells whether requests may be answered of which a proof says nothing. */
export function isUndecided({ open, columns }: ProofRecord): boolean {
  return open.length > 0 || columns.length === 0;
}

/** isFound tells whether a proof has found that PostgreSQL refuses a place of a script with an SQLSTATE, whatever is sent. */
export function isFound(
  proof: ProofRecord | undefined,
  state: string,
  at?: RecordedPlace,
): boolean {
  const isIt = ({ code, line, column }: RecordedFinding): boolean =>
    code === state && line === at?.line && column === at?.column;
  return proof?.findings.some(isIt) === true;
}

/** Which text of a script, on which database. */
export interface ProofKey {
  readonly alias: string;
  /** `<folder>/<script>`. */
  readonly script: string;
  /** A verb of src/script/verb.ts. */
  readonly verb: string;
}

export interface ServedProof extends ProofKey {
  /** SHA-256 of the template's text, base64url. */
  readonly text: string;
  /** The database of a stored script of its own; undefined for a script that is for all databases. */
  readonly own: string | undefined;
  readonly record: ProofRecord;
  /**
   * With `queries.proof = "require"` the template that is to be served: this one, or the last good one before it; undefined
   * when there never was a good one, and without `require`.
   */
  readonly serves: string | undefined;
  /** For each database that was asked; undefined when the proof is to be repeated. */
  readonly basis?: readonly CatalogFingerprint[] | undefined;
}

/** What has changed since the last update: proofs, and scripts that are gone. */
export interface ProofUpdate {
  readonly proofs: readonly ServedProof[];
  readonly gone: readonly ProofKey[];
  /** Whether every script has been proved once since the service started. */
  readonly complete: boolean;
}

/** Characters of the proofs in one chunk; a larger proof is a chunk of its own. */
const SIZE = 256 << 10;

/**
 * updateChunks splits an update, in order, so that a channel or an event loop does not wait behind all of it: none when there is
 * nothing in it. Only the last chunk says that all is complete.
 */
export function updateChunks({ proofs, gone, complete }: ProofUpdate): ProofUpdate[] {
  const chunks: ProofUpdate[] = [];
  let chunk: ServedProof[] = [];
  let size = 0;
  for (const proof of proofs) {
    const characters = JSON.stringify(proof).length;
    if (chunk.length > 0 && size + characters > SIZE) {
      chunks.push({ proofs: chunk, gone: [], complete: false });
      chunk = [];
      size = 0;
    }
    chunk.push(proof);
    size += characters;
  }
  if (chunk.length + gone.length > 0 || complete) chunks.push({ proofs: chunk, gone, complete });
  return chunks;
}
