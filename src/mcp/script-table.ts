/**
 * The scripts of one database that are tools, by name. Rebuilt when a script has changed, in time slices, so that a
 * thousand scripts do not block other requests; unchanged tools are reused. Left out are scripts whose name clients
 * reject or that is not unique, and scripts with a required parameter whose name clients reject.
 */
import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';
import type { ReadableScript } from '../script/scripts.js';
import { ScriptInput } from './script-input.js';
import { ScriptTool } from './script-tool.js';
import { toolName, type NameForm } from './tool-names.js';

/** Time slice, ms. */
const SLICE = 5;

/** Inputs by template: the same for every database. */
const inputs = new WeakMap<object, ScriptInput>();

export class ScriptTable {
  readonly scripts: readonly ReadableScript[];
  /** Ordered by path. */
  readonly tools: readonly ScriptTool[];
  /** The number of readable scripts that are not tools. */
  readonly leftOut: number;
  readonly #byName: ReadonlyMap<string, ScriptTool>;

  private constructor(scripts: readonly ReadableScript[], byName: ReadonlyMap<string, ScriptTool>) {
    this.scripts = scripts;
    this.tools = [...byName.values()];
    this.leftOut = scripts.length - this.tools.length;
    this.#byName = byName;
  }

  /** build builds the table of a database (its alias); `before` is the previous one. */
  static async build(
    alias: string,
    scripts: readonly ReadableScript[],
    form: NameForm,
    before: ScriptTable | undefined,
  ): Promise<ScriptTable> {
    const byName = new Map<string, ScriptTool | undefined>();
    let began = performance.now();
    for (const script of scripts) {
      const { folder, name: own, template } = script;
      const name = toolName(form, 'service', 'script', alias, folder, own);
      if (name === undefined) continue;
      const old = before?.find(name);
      const input = old?.template === template ? old.input : inputOf(script);
      if (byName.has(name)) byName.set(name, undefined);
      else if (input.usable)
        byName.set(
          name,
          old?.template === template && old.path === `${folder}/${own}`
            ? old
            : new ScriptTool(name, alias, script, input),
        );
      if (performance.now() - began < SLICE) continue;
      await setImmediate();
      began = performance.now();
    }
    const tools = [...byName].filter(
      (entry): entry is [string, ScriptTool] => entry[1] !== undefined,
    );
    return new ScriptTable(scripts, new Map(tools));
  }

  find(name: string): ScriptTool | undefined {
    return this.#byName.get(name);
  }
}

/** sharedNames are the names that scripts on several databases would have, which the plain form makes possible. */
export function sharedNames(tables: readonly ScriptTable[]): ReadonlySet<string> {
  const names = new Set<string>();
  const shared = new Set<string>();
  for (const { tools } of tables)
    for (const { name } of tools) (names.has(name) ? shared : names).add(name);
  return shared;
}

function inputOf({ template, head }: ReadableScript): ScriptInput {
  let input = inputs.get(template);
  if (input === undefined) inputs.set(template, (input = new ScriptInput(template, head)));
  return input;
}
