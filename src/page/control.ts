/** A control of a form for one value, chosen by the type of the value. */
import { h } from './dom.js';
import type { Schema } from './schema.js';

export interface Control {
  readonly element: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
  /** The text that is sent; undefined when nothing was entered. */
  text(): string | undefined;
}

export interface ControlOptions {
  readonly id: string;
  readonly required: boolean;
  /** Ids of the texts about it. */
  readonly describedBy: string;
  readonly label?: string;
}

/** `type` is that of the schema without null. */
export function makeControl(
  schema: Schema,
  type: string | undefined,
  { id, required, describedBy, label }: ControlOptions,
): Control {
  const { default: fallback, enum: choices, minimum, maximum, maxLength } = schema;
  const shared = { id, 'aria-describedby': describedBy, 'aria-label': label };
  const placeholder = fallback === undefined ? undefined : textOf(fallback);
  if (choices !== undefined)
    return select(choices.filter((one) => one !== null).map(textOf), placeholder, required, shared);
  if (type === 'boolean') {
    if (required || fallback !== undefined) return checkbox(fallback, required, shared);
    return select(['true', 'false'], undefined, false, shared);
  }
  if (type === 'object' || schema.contentMediaType === 'application/json')
    return typed(h('textarea', { ...shared, required, rows: 3, spellcheck: 'false' }));
  const input = h('input', { ...shared, required, placeholder, autocomplete: 'off' });
  if (type === 'integer' || type === 'number') {
    input.type = 'number';
    input.step = type === 'integer' ? '1' : 'any';
    if (minimum !== undefined) input.min = String(minimum);
    if (maximum !== undefined) input.max = String(maximum);
    return typed(input);
  }
  if (maxLength !== undefined) input.maxLength = maxLength;
  const { format } = schema;
  input.type = INPUTS[format ?? ''] ?? 'text';
  if (input.type === 'time' || input.type === 'datetime-local') input.step = '1';
  if (format !== 'date-time') return typed(input);
  return {
    element: input,
    text: () => (input.value === '' ? undefined : input.value + offsetOf(new Date(input.value))),
  };
}

/** textOf is a value as it is sent in a query string. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Times with a zone are entered in that of the browser. */
const INPUTS: Readonly<Record<string, string>> = {
  date: 'date',
  time: 'time',
  'date-time': 'datetime-local',
  timestamp: 'datetime-local',
};

function typed(element: HTMLInputElement | HTMLTextAreaElement): Control {
  return { element, text: () => (element.value === '' ? undefined : element.value) };
}

type Shared = Readonly<Record<string, string | undefined>>;

function select(
  choices: readonly string[],
  fallback: string | undefined,
  required: boolean,
  shared: Shared,
): Control {
  const none = fallback === undefined ? 'not sent' : `not sent: ${fallback}`;
  const element = h(
    'select',
    { ...shared, required },
    h('option', { value: '' }, required ? 'choose' : none),
    ...choices.map((choice, i) => h('option', { value: i + 1 }, choice)),
  );
  return { element, text: () => choices[Number(element.value) - 1] };
}

/** A box that has a default is sent when it differs from it. */
function checkbox(fallback: unknown, required: boolean, shared: Shared): Control {
  const element = h('input', { ...shared, type: 'checkbox', checked: fallback === true });
  return {
    element,
    text: () =>
      required || element.checked !== (fallback === true) ? String(element.checked) : undefined,
  };
}

/** The difference of local time from UTC: `+02:00`. */
function offsetOf(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const two = (n: number): string => String(n).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
