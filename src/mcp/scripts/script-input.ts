/**
 * The arguments of a script as a tool: the parameters in its template, except those that only HTTP sends; `_page` and
 * `_page_size` have defaults. Unknown arguments are rejected, not ignored.
 */
import type { Head } from '../../script/head/head.js';
import type { ProofRecord } from '../../messages/proofs.js';
import { isReservedKey } from '../../script/request/request-data.js';
import { MAX_PAIRS, type QueryParameters } from '../../script/request/query-string.js';
import type { TemplateParameters } from '../../template/parameters.js';
import { unknownArgument } from '../arguments/checked-arguments.js';
import { ArgumentError } from '../arguments/argument-error.js';
import { missing, openValue, ScriptParameter } from './script-parameter.js';
import { toolParameters } from './tool-parameter.js';
import type { Arguments } from '../arguments/tool.js';

/** Most parameters of a tool: more are not usable. */
const MAX_PARAMETERS = 100;

/**
 * Names that clients accept as properties of a schema; because of any other name they reject the whole list of tools.
 */
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

export class ScriptInput {
  /** Whether the script can be a tool: false for too many parameters, or a required one whose name clients reject. */
  readonly usable: boolean;
  /** Whether the caller can request pages. */
  readonly paged: boolean;
  readonly #parameters: ReadonlyMap<string, ScriptParameter>;
  readonly #open: boolean;
  readonly #required: readonly string[];

  /** `proof` is undefined if this text has no proof. */
  constructor(found: TemplateParameters, head: Head, proof: ProofRecord | undefined) {
    const sent = toolParameters(found, head, proof);
    const named = sent.filter(({ name }) => NAME.test(name));
    this.#parameters = new Map(named.map((one) => [one.name, new ScriptParameter(one)]));
    this.#open = found.open;
    this.#required = named.filter(({ required }) => required).map(({ name }) => name);
    this.usable =
      sent.length <= MAX_PARAMETERS &&
      sent.every(({ name, required }) => NAME.test(name) || !required);
    this.paged = this.#parameters.has('_page');
  }

  schema(): Readonly<Record<string, unknown>> {
    const properties = Object.fromEntries(
      [...this.#parameters].map(([name, parameter]) => [name, parameter.schema()]),
    );
    return {
      type: 'object',
      properties,
      ...(this.#required.length === 0 ? {} : { required: this.#required }),
      ...(this.#open ? {} : { additionalProperties: false }),
    };
  }

  /** parse converts arguments to the parameters of a query string. Throws ArgumentError. */
  parse(args: Arguments): QueryParameters {
    const parameters: QueryParameters = new Map();
    let values = 0;
    for (const [name, sent] of Object.entries(args)) {
      const value = this.#value(name, sent);
      if (value === undefined) continue;
      parameters.set(name, value);
      values += typeof value === 'string' ? 1 : value.length;
    }
    if (values > MAX_PAIRS)
      throw new ArgumentError(`${values} values were sent; ${MAX_PAIRS} are allowed at one time.`);
    const lacking = this.#required.filter((name) => !parameters.has(name));
    if (lacking.length > 0) throw missing(lacking);
    return parameters;
  }

  #value(name: string, sent: unknown): string | string[] | undefined {
    const parameter = this.#parameters.get(name);
    if (parameter !== undefined) return parameter.value(sent);
    if (this.#open && !isReservedKey(name)) return openValue(name, sent);
    throw unknownArgument(name, [...this.#parameters.keys()]);
  }
}
