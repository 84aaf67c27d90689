/**
 * The scripts of one database that are tools, by name. Rebuilt when a script or a proof has changed, in time slices, so
 * that a thousand scripts do not block other requests; unchanged tools are reused. A name that clients reject or that is
 * not unique means no script; scripts with a required parameter whose name clients reject are left out.
 */
import type { ReadableScript } from '../../script/scripts.js';
import type { ProofCache } from '../../messages/proof-cache.js';
import type { ProofRecord } from '../../messages/proofs.js';
import { inSlices } from '../../base/slices.js';
import { parametersOf, type TemplateParameters } from '../../template/parameters.js';
import type { Template } from '../../template/template.js';
import { ScriptInput } from './script-input.js';
import { ScriptTool, type ScriptToolNames } from './script-tool.js';
import { FORMS, toolName } from '../arguments/tool-names.js';

/** The parameters of templates, which are the same for every database. */
const parameters = new WeakMap<Template, TemplateParameters>();

export class ScriptTable {
  readonly scripts: readonly ReadableScript[];
  /** Ordered by path. */
  readonly tools: readonly ScriptTool[];
  /** By name in every form. */
  readonly #byName: ReadonlyMap<string, ScriptTool>;

  private constructor(scripts: readonly ReadableScript[], tools: readonly ScriptTool[]) {
    this.scripts = scripts;
    this.tools = tools;
    this.#byName = new Map(tools.flatMap((tool) => namesOf(tool).map((name) => [name, tool])));
  }

  /**
   * build builds the table of a database (its alias); `before` is the previous one, which is also the result if nothing
   * has changed.
   */
  static async build(
    alias: string,
    scripts: readonly ReadableScript[],
    proofs: ProofCache,
    before: ScriptTable | undefined,
  ): Promise<ScriptTable> {
    const known = new Map(before?.tools.map((tool) => [tool.path, tool]));
    const usual: ScriptToolNames[] = [];
    await inSlices(scripts, ({ folder, name }) => usual.push(usualNames(alias, folder, name)));
    const shared = repeated(usual.flatMap((names) => Object.values(names)));
    const tools: ScriptTool[] = [];
    let at = 0;
    await inSlices(scripts, (script) => {
      const names = without(usual[at++]!, shared);
      if (names.dotted === undefined && names.plain === undefined) return;
      const path = `${script.folder}/${script.name}`;
      const record = proofs.recordOf({ alias, script: path, verb: 'read' }, script.template);
      const proof = record?.verdict === 'unproved' ? undefined : record;
      const tool = toolOf(names, alias, script, proof, known.get(path));
      if (tool.input.usable) tools.push(tool);
    });
    const isSame =
      before?.scripts === scripts &&
      before.tools.length === tools.length &&
      tools.every((tool, i) => tool === before.tools[i]);
    return isSame ? before : new ScriptTable(scripts, tools);
  }

  find(name: string): ScriptTool | undefined {
    return this.#byName.get(name);
  }
}

/** sharedNames are the names that scripts on several databases would have. */
export function sharedNames(tables: readonly ScriptTable[]): ReadonlySet<string> {
  return repeated(tables.flatMap(({ tools }) => tools.flatMap(namesOf)));
}

function usualNames(alias: string, folder: string, name: string): ScriptToolNames {
  const path = [alias, folder, name] as const;
  return { dotted: toolName('dotted', 'script', path), plain: toolName('plain', 'script', path) };
}

/** Names without those that several scripts would have. */
function without({ dotted, plain }: ScriptToolNames, shared: ReadonlySet<string>): ScriptToolNames {
  const own = (name: string | undefined): string | undefined =>
    name === undefined || shared.has(name) ? undefined : name;
  return { dotted: own(dotted), plain: own(plain) };
}

function namesOf({ names }: ScriptTool): string[] {
  return FORMS.map((form) => names[form]).filter((name) => name !== undefined);
}

function repeated(names: readonly (string | undefined)[]): ReadonlySet<string> {
  const known = new Set<string>();
  const several = new Set<string>();
  for (const name of names) if (name !== undefined) (known.has(name) ? several : known).add(name);
  return several;
}

/** The tool of a script: the one `before` if its text and its proof are the same. */
function toolOf(
  names: ScriptToolNames,
  alias: string,
  script: ReadableScript,
  proof: ProofRecord | undefined,
  before: ScriptTool | undefined,
): ScriptTool {
  const { template, head } = script;
  const isSame =
    before?.template === template && FORMS.every((form) => before.names[form] === names[form]);
  if (isSame && before.proof === proof) return before;
  let found = parameters.get(template);
  if (found === undefined)
    parameters.set(template, (found = parametersOf(template.text, template.name)));
  const input = new ScriptInput(found, head, proof);
  return new ScriptTool(names, alias, script, input, proof, isSame ? before.cost : undefined);
}
