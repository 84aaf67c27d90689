/** A script on one database as a tool: its entry in `tools/list`, written on first use, and its measured cost. */
import { descriptionOf } from '../head/description.js';
import type { Head } from '../head/head.js';
import { ScriptCost } from '../pg/script-cost.js';
import type { ReadableScript } from '../script/scripts.js';
import type { Template } from '../template/template.js';
import type { ProofRecord } from '../proofs.js';
import { annotations } from './input-schema.js';
import { outputSchema } from './output-schema.js';
import type { ScriptInput } from './script-input.js';
import { MAX_ROWS } from './select-arguments.js';
import type { ListedTool } from './tool.js';

export class ScriptTool implements ListedTool {
  readonly name: string;
  readonly alias: string;
  readonly folder: string;
  readonly script: string;
  readonly template: Template;
  readonly head: Head;
  readonly input: ScriptInput;
  /** Undefined if there is none of this text. */
  readonly proof: ProofRecord | undefined;
  readonly cost: ScriptCost;
  #json: string | undefined;

  constructor(
    name: string,
    alias: string,
    script: ReadableScript,
    input: ScriptInput,
    proof: ProofRecord | undefined,
    cost = new ScriptCost(),
  ) {
    this.name = name;
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

  get json(): string {
    return (this.#json ??= JSON.stringify({
      name: this.name,
      title: this.path,
      description: this.#description(),
      inputSchema: this.input.schema(),
      outputSchema: this.proof && outputSchema(this.proof),
      annotations: annotations(this.path),
    }));
  }

  #description(): string {
    const about = descriptionOf(this.template.text) || `Runs the script ${this.path}.`;
    const end = /[.!?…]$/.test(about) ? '' : '.';
    return `${about}${end} Database: ${this.alias}. At most ${MAX_ROWS} rows${this.input.paged ? '; _page gives the next ones' : ''}.`;
  }
}
