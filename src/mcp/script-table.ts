/**
 * The scripts of one database that are tools, by name. Rebuilt when a script or a proof has changed, in time slices, so
 * that a thousand scripts do not block other requests; unchanged tools are reused. Left out are scripts whose name clients
 * reject or that is not unique, and scripts with a required parameter whose name clients reject.
 */
import type { ReadableScript } from '../script/scripts.js';
import type { ProofBook } from '../proof-book.js';
import type { ProofRecord } from '../proofs.js';
import { inSlices } from '../script/slices.js';
import { parametersOf, type TemplateParameters } from '../template/parameters.js';
import type { Template } from '../template/template.js';
import { ScriptInput } from './script-input.js';
import { ScriptTool } from './script-tool.js';
import { toolName, type NameForm } from './tool-names.js';

/** The parameters of templates, which are the same for every database. */
const parameters = new WeakMap<Template, TemplateParameters>();

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

  /**
   * build builds the table of a database (its alias); `before` is the previous one, which is also the result if nothing
   * has changed.
   */
  static async build(
    alias: string,
    scripts: readonly ReadableScript[],
    form: NameForm,
    proofs: ProofBook,
    before: ScriptTable | undefined,
  ): Promise<ScriptTable> {
    const byName = new Map<string, ScriptTool | undefined>();
    await inSlices(scripts, (script) => {
      const { folder, name: own, template } = script;
      const name = toolName(form, 'service', 'script', alias, folder, own);
      if (name === undefined) return;
      if (byName.has(name)) {
        byName.set(name, undefined);
        return;
      }
      const path = `${folder}/${own}`;
      const proof = proofs.recordOf({ alias, script: path, verb: 'read' }, template);
      const tool = toolOf(name, alias, script, proof, before?.find(name));
      if (tool.input.usable) byName.set(name, tool);
    });
    const tools = [...byName].filter(
      (entry): entry is [string, ScriptTool] => entry[1] !== undefined,
    );
    const isSame =
      before?.scripts === scripts &&
      before.tools.length === tools.length &&
      tools.every(([, tool], i) => tool === before.tools[i]);
    return isSame ? before : new ScriptTable(scripts, new Map(tools));
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

/** The tool of a script: the one `before` if its text and its proof are the same. */
function toolOf(
  name: string,
  alias: string,
  script: ReadableScript,
  proof: ProofRecord | undefined,
  before: ScriptTool | undefined,
): ScriptTool {
  const { folder, name: own, template, head } = script;
  const isSame = before?.template === template && before.path === `${folder}/${own}`;
  if (isSame && before.proof === proof) return before;
  let found = parameters.get(template);
  if (found === undefined)
    parameters.set(template, (found = parametersOf(template.text, template.name)));
  const input = new ScriptInput(found, head, proof);
  return new ScriptTool(name, alias, script, input, proof, isSame ? before.cost : undefined);
}
