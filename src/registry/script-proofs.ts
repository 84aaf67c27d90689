/**
 * Proves scripts for requests to the registry: within a time for each, and one at a time, as its thread serves other requests
 * meanwhile. Proofs are kept until the catalogs of their database change.
 */
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Database } from '../pg/database.js';
import { catalogVersion, type CatalogVersion } from '../proof/catalog-version.js';
import { typeNames } from '../proof/catalog.js';
import { OutOfTime } from '../proof/out-of-time.js';
import { keptProof, recordOf, typesIn } from '../proof/proof-record.js';
import type { Prover } from '../proof/prover.js';
import type { ProofRecord } from '../proofs.js';
import { Recent, type RecentBounds } from '../recent.js';
import type { QueryParameters } from '../script/query-string.js';
import { sampleData } from '../script/sample-data.js';
import type { ScriptText } from '../script/script-text.js';
import type { JsonAggregate } from '../script/statement.js';
import type { Verb } from '../script/verb.js';
import { ProofQueue } from './proof-queue.js';
import { rejectionBy, type Texts, type VerbFinding } from './template-check.js';

export interface ProofSettings {
  readonly aggregate: JsonAggregate;
  readonly maxResult: number;
  /** How long the proof of all texts of a record may take, ms. */
  readonly proofBudget: number;
}

/** The texts of the script `<folder>/<script>`, and the database that they are for. */
export interface ProofTarget {
  readonly script: string;
  readonly texts: Texts;
  readonly alias: string;
  readonly database: Database;
}

export type VerbProofs = ReadonlyMap<Verb, ProofRecord>;

const NO_SAMPLES: QueryParameters = new Map();

const KEPT: RecentBounds = { entries: 500, characters: 4_000_000 };

export class ScriptProofs {
  readonly #settings: ProofSettings;
  readonly #queue = new ProofQueue();
  readonly #kept = new Recent<ProofRecord>(KEPT, (_key, record) => JSON.stringify(record).length);

  constructor(settings: ProofSettings) {
    this.#settings = settings;
  }

  /** prove rejects with ServiceError `busy`, or StatementFailure when the database cannot be queried. */
  async prove(target: ProofTarget): Promise<VerbProofs> {
    return (await this.#run(target, NO_SAMPLES)).proofs;
  }

  /**
   * validate proves texts, and with `samples` also tries what they render for a request with these values. Rejects with
   * TemplateRejected for a script that is broken, and as prove does.
   */
  async validate(target: ProofTarget, samples: QueryParameters): Promise<VerbProofs> {
    const { proofs, tried } = await this.#run(target, samples);
    const findings = [...proofs].flatMap(([verb, proof]) =>
      proof.findings.map((finding): VerbFinding => ({ verb, ...finding })),
    );
    const [first, ...others] = merged(tried.findings, findings);
    if (first !== undefined) throw rejectionBy(target.script, [first, ...others]);
    return new Map(
      [...proofs].map(([verb, proof]) => [verb, tried.untried.has(verb) ? opened(proof) : proof]),
    );
  }

  async #run(
    target: ProofTarget,
    samples: QueryParameters,
  ): Promise<{ readonly proofs: VerbProofs; readonly tried: Tried }> {
    const { database } = target;
    const version = await catalogVersion(database.dedicated);
    const known = samples.size === 0 ? this.#known(target, version) : undefined;
    if (known !== undefined) return { proofs: known, tried: NOTHING_TRIED };
    return this.#queue.run(async (waited) => {
      const end = performance.now() + this.#settings.proofBudget;
      const prover = await this.#prover(database);
      const tried = await withSamples(target, samples, prover, end);
      // While it waited, the catalogs may have changed, or another request may have had the same texts.
      const current = waited ? await catalogVersion(database.dedicated) : version;
      return { proofs: await this.#prove(target, prover, current, end), tried };
    });
  }

  /** The proofs of all texts; undefined when one is missing. */
  #known(target: ProofTarget, version: CatalogVersion): VerbProofs | undefined {
    const known = new Map<Verb, ProofRecord>();
    for (const [verb, text] of target.texts) {
      const proof = this.#kept.get(keyOf(target, version, text));
      if (proof === undefined) return undefined;
      known.set(verb, proof);
    }
    return known;
  }

  async #prove(
    target: ProofTarget,
    prover: Prover,
    version: CatalogVersion,
    end: number,
  ): Promise<VerbProofs> {
    const { script, texts, database } = target;
    const proofs = new Map<Verb, ProofRecord>();
    for (const [verb, text] of texts) {
      const key = keyOf(target, version, text);
      let record = this.#kept.get(key);
      if (record === undefined) {
        const part = (end - performance.now()) / (texts.size - proofs.size);
        const proof = await prover.prove(script, text, Math.max(0, part));
        const kept = keptProof(proof);
        const types = new Set<number>();
        typesIn(kept, types);
        record = recordOf(kept, await typeNames(database.dedicated, types));
        if (!proof.isCut) this.#kept.set(key, record);
      }
      proofs.set(verb, record);
    }
    return proofs;
  }

  /** Loaded with the first proof, as most workers never need it. */
  async #prover(database: Database): Promise<Prover> {
    const { Prover, USUAL_LIMITS } = await import('../proof/prover.js');
    const { aggregate, maxResult, proofBudget } = this.#settings;
    return new Prover(database, {
      aggregate,
      maxResult,
      limits: USUAL_LIMITS,
      patience: proofBudget,
      serves: true,
    });
  }
}

function keyOf({ alias, script }: ProofTarget, version: CatalogVersion, text: ScriptText): string {
  const { verb, template } = text;
  const parts = JSON.stringify([alias, version, script, verb, template.text]);
  return createHash('sha256').update(parts).digest('base64url');
}

/** What became of texts with the values of a request. */
interface Tried {
  readonly findings: readonly VerbFinding[];
  /** Those for which there was no time. */
  readonly untried: ReadonlySet<Verb>;
}

/** Instead of a condition. */
const WITH_SAMPLES = 'with the values of this request';

const NOTHING_TRIED: Tried = { findings: [], untried: new Set() };

async function withSamples(
  { script, texts }: ProofTarget,
  samples: QueryParameters,
  prover: Prover,
  end: number,
): Promise<Tried> {
  if (samples.size === 0) return NOTHING_TRIED;
  const findings: VerbFinding[] = [];
  const untried = new Set<Verb>();
  for (const [verb, text] of texts) {
    const left = end - performance.now();
    try {
      const fault = await prover.proveWith(sampleData(samples, text), script, text, left);
      if (fault === undefined) continue;
      const { place, hint, ...rest } = fault;
      const more = hint === undefined ? place : { ...place, hint };
      findings.push({ verb, ...rest, ...more, when: WITH_SAMPLES });
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      untried.add(verb);
    }
  }
  return { findings, untried };
}

/** The findings with the values of a request before those of the proof, which has a condition for the same ones. */
function merged(tried: readonly VerbFinding[], proved: readonly VerbFinding[]): VerbFinding[] {
  const isSame = (one: VerbFinding, other: VerbFinding): boolean =>
    one.verb === other.verb &&
    one.code === other.code &&
    one.line === other.line &&
    one.column === other.column;
  const before = tried.map((finding) => {
    const when = proved.find((other) => isSame(finding, other))?.when;
    return when === undefined ? finding : { ...finding, when };
  });
  return [...before, ...proved.filter((one) => !tried.some((other) => isSame(one, other)))];
}

/** A proof of a text that was not tried with the values of the request. */
function opened(proof: ProofRecord): ProofRecord {
  const what = 'the statement with the values of this request: the time for it was over';
  const verdict = proof.verdict === 'broken' ? 'broken' : 'open';
  return { ...proof, verdict, open: [...proof.open, { what }] };
}
