/** A script on one database as a tool: its entries in `tools/list`, written on first use, and its measured cost. */
import { descriptionOf } from '../../script/head/description.js';
import type { Head } from '../../script/head/head.js';
import { ScriptCost } from '../../postgres/statement/script-cost.js';
import type { ReadableScript } from '../../script/scripts.js';
import type { Template } from '../../template/template.js';
import type { ProofRecord } from '../../messages/proofs.js';
import { READ_ONLY } from '../arguments/input-schema.js';
import { outputSchema } from './output-schema.js';
import type { ScriptInput } from './script-input.js';
import { MAX_ROWS } from '../rows/select-arguments.js';
import type { ListedTool } from '../arguments/tool.js';
import type { NameForm } from '../arguments/tool-names.js';

/** The name of a tool in each form; undefined where clients reject it. */
export type ScriptToolNames = Readonly<Record<NameForm, string | undefined>>;

export class ScriptTool {
  readonly names: ScriptToolNames;
  readonly alias: string;
  readonly folder: string;
  readonly script: string;
  readonly template: Template;
  readonly head: Head;
  readonly input: ScriptInput;
  /** Undefined if this text has no proof. */
  readonly proof: ProofRecord | undefined;
  readonly cost: ScriptCost;
  readonly #entries = new Map<NameForm, ListedTool>();

  constructor(
    names: ScriptToolNames,
    alias: string,
    script: ReadableScript,
    input: ScriptInput,
    proof: ProofRecord | undefined,
    cost = new ScriptCost(),
  ) {
    this.names = names;
    this.alias = alias;
    this.folder = script.folder;
    this.script = script.name;
    this.template = script.template;
    this.head = script.head;
    this.input = input;
    this.proof = proof;
    this.cost = cost;
  }

  /** path is `<folder>/<script>`. */
  get path(): string {
    return `${this.folder}/${this.script}`;
  }

  /** entry is the entry of the list in a form of names; undefined if it has no name of that form. */
  entry(form: NameForm): ListedTool | undefined {
    const name = this.names[form];
    if (name === undefined) return undefined;
    let entry = this.#entries.get(form);
    if (entry === undefined) this.#entries.set(form, (entry = this.#listed(name)));
    return entry;
  }

  #listed(name: string): ListedTool {
    let json: string | undefined;
    const write = (): string => this.#json(name);
    return {
      name,
      get json() {
        return (json ??= write());
      },
    };
  }

  #json(name: string): string {
    return JSON.stringify({
      name,
      title: this.path,
      description: this.#description(),
      inputSchema: this.input.schema(),
      outputSchema: this.proof && outputSchema(this.proof),
      annotations: READ_ONLY,
    });
  }

  #description(): string {
    const about = descriptionOf(this.template.text) || `Runs the script ${this.path}.`;
    const end = /[.!?…]$/.test(about) ? '' : '.';
    return `${about}${end} Database: ${this.alias}. At most ${MAX_ROWS} rows${this.input.paged ? '; _page gives the next ones' : ''}.`;
  }
}
