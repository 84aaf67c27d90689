/**
 * Proves scripts for requests to the registry: within a time for each, and one at a time, as its thread serves other requests
 * meanwhile. Proofs are kept until the catalogs of their database change.
 */
import { createHash } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { ServiceDatabase } from '../../postgres/statement/queryable.js';
import { catalogVersion, type CatalogVersion } from '../../proof/branches/catalog-version.js';
import { OutOfTime } from '../../proof/branches/interruption.js';
import type { AnalysedRecord } from '../../proof/branches/proof-record.js';
import type { Prover } from '../../proof/branches/prover.js';
import { proveText } from '../../proof/text-proof.js';
import { recent, type RecentBounds } from '../../base/recent.js';
import type { QueryParameters } from '../../script/request/query-string.js';
import { sampleData } from '../../script/request/sample-data.js';
import type { ScriptText } from '../../script/script-text.js';
import type { JsonAggregate } from '../../script/statement/statement.js';
import type { Verb } from '../../script/verb.js';
import type { RoleSettings } from '../../messages/access-settings.js';
import { ProofQueue } from './proof-queue.js';
import { rejectionBy, type Texts, type VerbFinding } from './template-check.js';

export interface ProofSettings {
  readonly aggregate: JsonAggregate;
  readonly maxResult: number;
  /** How long the proof of all texts of a record may take, ms. */
  readonly proofBudget: number;
  /** The roles that scripts run under; undefined for the user of the connection. */
  readonly role: RoleSettings | undefined;
}

/** The texts of the script `<folder>/<script>`, and the database that they are for. */
export interface ProofTarget {
  readonly script: string;
  readonly texts: Texts;
  readonly alias: string;
  readonly database: ServiceDatabase;
}

export type VerbProofs = ReadonlyMap<Verb, AnalysedRecord>;

export interface Validation {
  readonly proofs: VerbProofs;
  /** Those of the texts that are replaced. */
  readonly replaced: VerbProofs;
  /** Texts of which not everything was tried, also among the replaced ones. */
  readonly cut: ReadonlySet<ScriptText>;
}

const NO_SAMPLES: QueryParameters = new Map();

const KEPT: RecentBounds = { entries: 1_000, characters: 8_000_000 };

export class ScriptProofs {
  readonly #settings: ProofSettings;
  readonly #queue = new ProofQueue();
  readonly #kept = recent<AnalysedRecord>(KEPT, (_key, record) => JSON.stringify(record).length);

  constructor(settings: ProofSettings) {
    this.#settings = settings;
  }

  /** prove rejects with ServiceError `busy`, or StatementFailure when the database cannot be queried. */
  async prove(target: ProofTarget): Promise<VerbProofs> {
    return (await this.#run(target, NO_SAMPLES, false)).proofs;
  }

  /**
   * validate proves and analyses texts, and with `samples` also tries what they render for a request with these values; then
   * the stored texts that they replace. Rejects with TemplateRejected for a script that is broken, and as prove does.
   */
  async validate(
    target: ProofTarget,
    samples: QueryParameters,
    replaced: Texts = new Map(),
  ): Promise<Validation> {
    const { proofs, tried, ...rest } = await this.#run(target, samples, true, replaced);
    const findings = [...proofs].flatMap(([verb, proof]) =>
      proof.findings.map((finding): VerbFinding => ({ verb, ...finding })),
    );
    const [first, ...others] = merged(tried.findings, findings);
    if (first !== undefined) throw rejectionBy(target.script, [first, ...others]);
    const extended = [...proofs].map(
      ([verb, proof]) => [verb, tried.untried.has(verb) ? opened(proof) : proof] as const,
    );
    return { ...rest, proofs: new Map(extended) };
  }

  async #run(
    target: ProofTarget,
    samples: QueryParameters,
    analysed: boolean,
    before: Texts = new Map(),
  ): Promise<Validation & { readonly tried: Tried }> {
    const { database } = target;
    const version = await catalogVersion(database, database.dedicated);
    const about = { version, analysed };
    const old = { ...target, texts: before };
    const known = samples.size === 0 ? this.#known(target, about) : undefined;
    const replaced = known && this.#known(old, about);
    if (known !== undefined && replaced !== undefined)
      return { proofs: known, replaced, cut: new Set(), tried: NOTHING_TRIED };
    return this.#queue.run(async (waited) => {
      const end = performance.now() + this.#settings.proofBudget;
      const prover = await this.#prover(database, analysed);
      const tried = await withSamples(target, samples, prover, end);
      // While it waited, the catalogs may have changed, or another request may have had the same texts.
      const current = waited ? await catalogVersion(database, database.dedicated) : version;
      const cut = new Set<ScriptText>();
      const prove = (one: ProofTarget): Promise<VerbProofs> =>
        this.#prove(one, prover, { version: current, analysed }, end, cut);
      const proofs = await prove(target);
      const isBroken = [...proofs.values()].some(({ verdict }) => verdict === 'broken');
      // A script that is refused replaces nothing.
      const replaced = isBroken || tried.findings.length > 0 ? new Map() : await prove(old);
      return { proofs, replaced, cut, tried };
    });
  }

  /** The proofs of all texts; undefined when one is missing. */
  #known(target: ProofTarget, about: About): VerbProofs | undefined {
    const known = new Map<Verb, AnalysedRecord>();
    for (const [verb, text] of target.texts) {
      const proof = this.#kept.get(keyOf(target, about, text));
      if (proof === undefined) return undefined;
      known.set(verb, proof);
    }
    return known;
  }

  async #prove(
    target: ProofTarget,
    prover: Prover,
    about: About,
    end: number,
    cut: Set<ScriptText>,
  ): Promise<VerbProofs> {
    const { script, texts, database } = target;
    const proofs = new Map<Verb, AnalysedRecord>();
    for (const [verb, text] of texts) {
      const key = keyOf(target, about, text);
      let record = this.#kept.get(key);
      if (record === undefined) {
        const part = (end - performance.now()) / (texts.size - proofs.size);
        const time = Math.max(0, part);
        const proof = await proveText(prover, database.dedicated, script, text, time);
        record = proof.record;
        if (proof.isCut) cut.add(text);
        else this.#kept.set(key, record);
      }
      proofs.set(verb, record);
    }
    return proofs;
  }

  /** Loaded with the first proof, as most workers never need it. */
  async #prover(database: ServiceDatabase, analysed: boolean): Promise<Prover> {
    const { Prover } = await import('../../proof/branches/prover.js');
    const { aggregate, maxResult, proofBudget, role } = this.#settings;
    return new Prover(database, {
      aggregate,
      maxResult,
      patience: proofBudget,
      serves: true,
      analysis: analysed ? database : undefined,
      role,
    });
  }
}

/** What a proof is about besides its text. */
interface About {
  /** That of the catalogs. */
  readonly version: CatalogVersion;
  /** Whether its statements are analysed. */
  readonly analysed: boolean;
}

function keyOf({ alias, script }: ProofTarget, about: About, text: ScriptText): string {
  const { verb, template } = text;
  const { version, analysed } = about;
  const parts = JSON.stringify([alias, version, analysed, script, verb, template.text]);
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
function opened(proof: AnalysedRecord): AnalysedRecord {
  const what = 'the statement with the values of this request: the time for it was over';
  const verdict = proof.verdict === 'broken' ? 'broken' : 'unproved';
  return { ...proof, verdict, open: [...proof.open, { what }] };
}
