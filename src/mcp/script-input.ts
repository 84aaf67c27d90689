/**
 * What a script takes as a tool: the parameters that its template tells, without what only HTTP sends; `_page` and
 * `_page_size` have defaults. Refuses arguments that the script would not look at: whoever sends one means something.
 */
import { isReservedKey, PARAMETER_DEFAULTS } from '../script/request-data.js';
import { MAX_PAIRS, type Parameters } from '../script/query-string.js';
import { parametersOf, type Parameter } from '../template/parameters.js';
import type { Template } from '../template/template.js';
import { unknownArgument } from './checked-arguments.js';
import { Refusal } from './refusal.js';
import { missing, openValue, parameterSchema, parameterValue } from './script-parameter.js';
import type { Arguments } from './tool.js';

/** What is said of parameters that every script may have. */
const ABOUT: ReadonlyMap<string, string> = new Map([
  ['_page', 'The page, from 1 on.'],
  ['_page_size', 'Rows of a page.'],
]);

/** Most parameters of a tool: of more, nobody makes sense. */
const MAX_PARAMETERS = 100;

/** Names that clients take as properties of a schema: others would cost the whole list of tools. */
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

export class ScriptInput {
  /** Whether the script can be a tool: not one that has too many parameters, or needs one of a name that clients would not take. */
  readonly usable: boolean;
  /** Whether the caller can ask for pages. */
  readonly paged: boolean;
  readonly #parameters = new Map<string, Parameter>();
  readonly #open: boolean;
  readonly #required: readonly string[];

  constructor(template: Template) {
    const { list, open } = parametersOf(template.text, template.name);
    const sent = list.filter(({ name }) => !isReservedKey(name));
    for (const parameter of sent) {
      const { name } = parameter;
      const fallback = PARAMETER_DEFAULTS.get(name);
      if (NAME.test(name))
        this.#parameters.set(
          name,
          fallback === undefined
            ? parameter
            : { ...parameter, required: false, fallback: parameter.fallback ?? fallback },
        );
    }
    this.#open = open;
    this.#required = sent.filter(({ name }) => isRequired(this.#parameters, name)).map(nameOf);
    this.usable =
      sent.length <= MAX_PARAMETERS &&
      sent.every(({ name, required }) => NAME.test(name) || !required);
    this.paged = this.#parameters.has('_page');
  }

  /** schema is the JSON Schema of the arguments. */
  schema(): Readonly<Record<string, unknown>> {
    const properties = Object.fromEntries(
      [...this.#parameters].map(([name, parameter]) => [
        name,
        parameterSchema(parameter, ABOUT.get(name)),
      ]),
    );
    return {
      type: 'object',
      properties,
      ...(this.#required.length === 0 ? {} : { required: this.#required }),
      ...(this.#open ? {} : { additionalProperties: false }),
    };
  }

  /** take makes of arguments what a query string would give. Throws Refusal. */
  take(args: Arguments): Parameters {
    const parameters: Parameters = new Map();
    let values = 0;
    for (const [name, sent] of Object.entries(args)) {
      const value = this.#take(name, sent);
      if (value === undefined) continue;
      parameters.set(name, value);
      values += typeof value === 'string' ? 1 : value.length;
    }
    if (values > MAX_PAIRS)
      throw new Refusal(`${values} values were sent; ${MAX_PAIRS} are allowed at one time.`);
    const lacking = this.#required.filter((name) => !parameters.has(name));
    if (lacking.length > 0) throw missing(lacking);
    return parameters;
  }

  #take(name: string, sent: unknown): string | string[] | undefined {
    const parameter = this.#parameters.get(name);
    if (parameter !== undefined) return parameterValue(parameter, sent);
    if (this.#open && !isReservedKey(name)) return openValue(name, sent);
    throw unknownArgument(name, [...this.#parameters.keys()]);
  }
}

function isRequired(parameters: ReadonlyMap<string, Parameter>, name: string): boolean {
  return parameters.get(name)?.required === true;
}

function nameOf({ name }: Parameter): string {
  return name;
}
