/** A contract as JSON with a line for each parameter, path and column, so that the diffs of the file can be read. */
import { isObject } from '../../base/json.js';
import { VERBS } from '../../script/verb.js';
import { FORMAT, type Contract, type ScriptContract } from './contract.js';

/** A text that is no contract, or one of another version. */
export class ContractError extends Error {
  override readonly name = 'ContractError';
}

export function writeContract({ format, scripts }: Contract): string {
  return `{\n  "format": ${format},\n  "scripts": ${list(scripts.map(scriptText), '  ')}\n}\n`;
}

function scriptText(script: ScriptContract): string {
  const { paths, parameters, response, columns, ...scalars } = script;
  const members = [
    ...Object.entries(scalars).map(([name, value]) => `"${name}": ${inline(value)}`),
    `"paths": ${list(paths.map(inline), '      ')}`,
    `"parameters": ${list(parameters.map(inline), '      ')}`,
    `"response": ${inline(response)}`,
    `"columns": ${columns === null ? 'null' : list(columns.map(inline), '      ')}`,
  ];
  return `{\n${members.map((member) => `      ${member}`).join(',\n')}\n    }`;
}

function list(items: readonly string[], indent: string): string {
  if (items.length === 0) return '[]';
  return `[\n${items.map((item) => `${indent}  ${item}`).join(',\n')}\n${indent}]`;
}

/** On one line: line breaks within strings are escaped. */
function inline(value: unknown): string {
  return JSON.stringify(value, undefined, 1)
    .replaceAll(/\[\n */g, '[')
    .replaceAll(/\n *\]/g, ']')
    .replaceAll(/\n */g, ' ');
}

/** readContract throws ContractError. */
export function readContract(text: string): Contract {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ContractError('it is not JSON');
  }
  if (!isObject(value) || !('format' in value) || !Array.isArray(value['scripts']))
    throw new ContractError('it is not a contract, which `sql-rest-service contract` writes');
  if (value['format'] !== FORMAT)
    throw new ContractError(
      `its format is ${JSON.stringify(value['format'])}, and this version reads ${FORMAT}: write it again`,
    );
  const scripts: readonly unknown[] = value['scripts'];
  for (const [i, script] of scripts.entries()) {
    const wrong = isObject(script) ? wrongMember(script, SCRIPT) : 'object';
    if (wrong !== undefined) throw new ContractError(`scripts[${i}] has no valid ${wrong}`);
  }
  return { format: FORMAT, scripts: scripts as readonly ScriptContract[] };
}

type Members = Readonly<Record<string, (value: unknown) => boolean>>;

const isText = (value: unknown): boolean => typeof value === 'string';
const isFlag = (value: unknown): boolean => typeof value === 'boolean';
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isListOf =
  (members: Members) =>
  (value: unknown): boolean =>
    Array.isArray(value) &&
    value.every((item) => isObject(item) && wrongMember(item, members) === undefined);
const optional =
  (check: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || check(value);

const PARAMETER: Members = {
  name: isText,
  types: isTexts,
  required: isFlag,
  list: isFlag,
  neededWhen: optional(isText),
  values: optional(isTexts),
  default: optional((value) => isText(value) || isTexts(value)),
  min: optional(isText),
  max: optional(isText),
  minlength: optional(isText),
  maxlength: optional(isText),
  pattern: optional(isText),
};

const RESPONSE: Members = {
  shape: isText,
  status: (value) => typeof value === 'number',
  headers: isTexts,
};

const COLUMN: Members = { name: isText, types: isTexts, nullable: isFlag, always: isFlag };

const SCRIPT: Members = {
  script: isText,
  verb: (value) => (VERBS as readonly unknown[]).includes(value),
  verdict: isText,
  deprecated: (value) => isFlag(value) || isText(value),
  strict: isFlag,
  paths: isListOf({ path: isText, methods: isTexts }),
  parameters: isListOf(PARAMETER),
  response: (value) => isObject(value) && wrongMember(value, RESPONSE) === undefined,
  columns: (value) => value === null || isListOf(COLUMN)(value),
};

/** The name of a member that is missing or wrong. */
function wrongMember(
  value: Readonly<Record<string, unknown>>,
  members: Members,
): string | undefined {
  return Object.keys(members).find((name) => !members[name]!(value[name]));
}
