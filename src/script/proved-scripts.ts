/**
 * The scripts that are served with `queries.proof = "require"`: what the prover has found good, whatever the files or the
 * table contain. Until it has proved every script once, one that is not known yet is refused with `busy`.
 */
import type { ProofCache } from '../messages/proof-cache.js';
import type { ServedProof } from '../messages/proofs.js';
import { notYetProved, ProvedScript, ProvedText } from './proved-script.js';
import { scriptNotFound } from './script-error.js';
import {
  byPath,
  type Named,
  type ReadableScript,
  type RoutedScript,
  type Scripts,
  type UsableScript,
} from './scripts.js';
import { inSlices } from '../base/slices.js';
import { VERBS, type Verb } from './verb.js';

/** Scripts by path, `<folder>/<script>`. */
type ByPath = Map<string, ProvedScript>;

/** The items of one version of the cache. */
interface List<Item> {
  readonly version: number;
  readonly items: Promise<readonly Item[]>;
}

const NONE: ByPath = new Map();

export class ProvedScripts implements Scripts {
  readonly #cache: ProofCache;
  /** The version of the cache that the scripts are from. */
  #version = -1;
  /** By alias. */
  #scripts = new Map<string, ByPath>();
  /** The texts that are served of a script and a verb: most often the same one on all databases. */
  #texts = new Map<string, ProvedText[]>();
  readonly #readable = new Map<string, List<ReadableScript>>();
  readonly #usable = new Map<string, List<UsableScript>>();
  #routed: List<RoutedScript> | undefined;

  constructor(cache: ProofCache) {
    this.#cache = cache;
  }

  find(alias: string, folder: string, name: string): ProvedScript {
    this.#update();
    const path = `${folder}/${name}`;
    const script = this.#scripts.get(alias)?.get(path);
    if (script !== undefined) return script;
    throw this.#cache.complete ? scriptNotFound(path) : notYetProved();
  }

  /** readable compiles texts that were not requested yet, a few at a time. */
  readable(alias: string): Promise<readonly ReadableScript[]> {
    return this.#ofAlias(this.#readable, alias, ({ texts }) => [texts.get('read')?.readable]);
  }

  /** usable compiles as readable does. */
  usable(alias: string): Promise<readonly UsableScript[]> {
    const itemsOf = ({ texts }: ProvedScript) => VERBS.map((verb) => texts.get(verb)?.usable);
    return this.#ofAlias(this.#usable, alias, itemsOf);
  }

  #ofAlias<Item extends Named>(
    lists: Map<string, List<Item>>,
    alias: string,
    itemsOf: (script: ProvedScript) => readonly (Item | undefined)[],
  ): Promise<readonly Item[]> {
    this.#updateAll();
    const before = lists.get(alias);
    if (before?.version === this.#version) return before.items;
    const list = this.#list(before, (items) =>
      inSlices(this.#scripts.get(alias) ?? NONE, ([, script]) => {
        for (const item of itemsOf(script)) if (item !== undefined) items.push(item);
      }),
    );
    lists.set(alias, list);
    return list.items;
  }

  /** routed compiles as readable does. */
  routed(defaultAlias: string): Promise<readonly RoutedScript[]> {
    this.#updateAll();
    if (this.#routed?.version === this.#version) return this.#routed.items;
    const scripts = this.#scripts;
    this.#routed = this.#list(this.#routed, async (items) => {
      for (const alias of new Set([defaultAlias, ...[...scripts.keys()].sort()]))
        await inSlices(scripts.get(alias) ?? NONE, ([, { texts }]) => {
          for (const text of texts.values()) {
            if (text === undefined || (alias !== defaultAlias && text.own !== alias)) continue;
            if (text.routed !== undefined) items.push(text.routed);
          }
        });
    });
    return this.#routed.items;
  }

  /** Makes a list: the same array as before when it has the same items. */
  #list<Item extends Named>(
    before: List<Item> | undefined,
    fill: (items: Item[]) => Promise<void>,
  ): List<Item> {
    const make = async (): Promise<readonly Item[]> => {
      const items: Item[] = [];
      await fill(items);
      items.sort(byPath);
      const old = await before?.items;
      return old?.length === items.length && items.every((item, i) => item === old[i])
        ? old
        : items;
    };
    return { version: this.#version, items: make() };
  }

  /** Throws ServiceError `busy` while a list of all scripts would lack some. */
  #updateAll(): void {
    if (!this.#cache.complete) throw notYetProved();
    this.#update();
  }

  #update(): void {
    if (this.#version === this.#cache.version) return;
    const scripts = new Map<string, ByPath>();
    const texts = new Map<string, ProvedText[]>();
    const isComplete = (): boolean => this.#cache.complete;
    for (const proof of this.#cache.proofs) {
      const { alias, script: path, verb } = proof;
      let ofAlias = scripts.get(alias);
      if (ofAlias === undefined) scripts.set(alias, (ofAlias = new Map<string, ProvedScript>()));
      let script = ofAlias.get(path);
      if (script === undefined) ofAlias.set(path, (script = new ProvedScript(path, isComplete)));
      script.texts.set(verb as Verb, this.#text(proof, texts));
      if (proof.record.verdict === 'unproved') script.unproved.add(verb as Verb);
    }
    this.#scripts = scripts;
    this.#texts = texts;
    this.#version = this.#cache.version;
  }

  /** The text that a proof lets be served, the same object as before where it is the same text; added to `texts`. */
  #text(proof: ServedProof, texts: Map<string, ProvedText[]>): ProvedText | undefined {
    const { script, verb, serves, own } = proof;
    if (serves === undefined) return undefined;
    const key = `${script}.${verb}`;
    const isIt = (one: ProvedText): boolean => one.text === serves && one.own === own;
    let all = texts.get(key);
    if (all === undefined) texts.set(key, (all = []));
    const shared = all.find(isIt);
    if (shared !== undefined) return shared;
    const text = this.#texts.get(key)?.find(isIt) ?? new ProvedText(proof, serves);
    all.push(text);
    return text;
  }
}
