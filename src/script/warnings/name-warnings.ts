/**
 * Warnings about names in a script that do not mean what they seem to: the value of a parameter where its name is wanted,
 * and names of headers that no header has, because `.header` has canonical names only.
 */
import { canonicalName } from '../../base/headers.js';
import { PARAMETER_FUNCTIONS } from '../../template/functions.js';
import type { Operand } from '../../template/node.js';
import { callsIn, type Outline, type OutlinedCall } from '../../template/outline.js';

/** A warning about the place at an offset of the script's text. */
export interface PlacedWarning {
  readonly pos: number;
  readonly message: string;
}

const HEADER = 'header.';

export function* nameWarnings({ pipes }: Outline): Generator<PlacedWarning> {
  for (const pipe of pipes) {
    for (const call of callsIn(pipe)) {
      const message = ofCall(call);
      if (message !== undefined) yield { pos: call.pos, message };
    }
    for (const { args } of pipe.commands)
      for (const operand of args) {
        const [first, header] = fieldsOf(operand);
        const message = first === 'header' && header !== undefined ? ofHeader(header) : undefined;
        if (message !== undefined) yield { pos: operand.pos, message };
      }
  }
}

function ofCall({ name, args }: OutlinedCall): string | undefined {
  const [first, second] = args;
  if (first === undefined) return undefined;
  if (name === 'index') {
    const isHeader = fieldsOf(first).join('.') === 'header';
    return isHeader && second?.kind === 'string' ? ofHeader(second.text) : undefined;
  }
  if (!PARAMETER_FUNCTIONS.has(name)) return undefined;
  if (first.kind === 'string')
    return first.text.startsWith(HEADER) ? ofHeader(first.text.slice(HEADER.length)) : undefined;
  const fields = fieldsOf(first);
  if (fields.length === 0) return undefined;
  const path = fields.join('.');
  return `${name} takes the name of a parameter, and .${path} is the value of one: write {{${name} "${path}"}}`;
}

function ofHeader(name: string): string | undefined {
  const canonical = canonicalName(name);
  if (canonical === name) return undefined;
  return `no request has a header of the name "${name}", because names are canonical here: write "${canonical}"`;
}

/** The names of a field of the data: of `.a.b`, `$.a.b` and (index . "a"); none for any other operand. */
function fieldsOf(operand: Operand): readonly string[] {
  if (operand.kind === 'field') return operand.names;
  if (operand.kind === 'variable') return operand.names[0] === '$' ? operand.names.slice(1) : [];
  if (operand.kind !== 'pipe' || operand.commands.length !== 1) return [];
  const [head, map, key, ...more] = operand.commands[0]!.args;
  const indexes = head?.kind === 'identifier' && head.name === 'index' && more.length === 0;
  if (!indexes || key?.kind !== 'string') return [];
  const root = map?.kind === 'dot' || (map?.kind === 'variable' && map.names.join() === '$');
  return root ? [key.text] : [];
}
