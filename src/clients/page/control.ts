/** A control of a form for one value, chosen by the type of the value. */
import { h, type Attributes } from './dom.js';
import type { Schema } from './schema.js';

export interface Control {
  readonly element: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;
  /** The text that is sent; undefined when nothing was entered. */
  text(): string | undefined;
}

export interface ControlOptions {
  readonly id: string;
  readonly required: boolean;
  /** Whether the form cannot be sent without it: the service has the last word on all else. */
  readonly enforced: boolean;
  /** Ids of the texts about it. */
  readonly describedBy: string;
  readonly label?: string;
}

/** `type` is the schema's type without null. */
export function makeControl(
  schema: Schema,
  type: string | undefined,
  { id, required, enforced, describedBy, label }: ControlOptions,
): Control {
  const { default: fallback, enum: choices, minimum, maximum, minLength, maxLength } = schema;
  const shared = {
    id,
    required: enforced,
    'aria-required': required ? 'true' : undefined,
    'aria-describedby': describedBy,
    'aria-label': label,
  };
  const placeholder = fallback === undefined ? undefined : textOf(fallback);
  if (choices !== undefined)
    return select(choices.filter((one) => one !== null).map(textOf), placeholder, required, shared);
  if (type === 'boolean') {
    if (fallback !== undefined) return checkbox(fallback, shared);
    return select(['true', 'false'], undefined, required, shared);
  }
  if (type === 'object' || schema.contentMediaType === 'application/json')
    return typed(h('textarea', { ...shared, rows: 3, spellcheck: 'false' }));
  const input = h('input', { ...shared, placeholder, autocomplete: 'off' });
  if (type === 'integer' || type === 'number') {
    input.type = 'number';
    input.step = type === 'integer' ? '1' : 'any';
    if (minimum !== undefined) input.min = String(minimum);
    if (maximum !== undefined) input.max = String(maximum);
    return typed(input);
  }
  if (minLength !== undefined) input.minLength = minLength;
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

/** Times with a zone are entered in the browser's zone. */
const INPUTS: Readonly<Record<string, string>> = {
  date: 'date',
  time: 'time',
  'date-time': 'datetime-local',
  timestamp: 'datetime-local',
};

function typed(element: HTMLInputElement | HTMLTextAreaElement): Control {
  return { element, text: () => (element.value === '' ? undefined : element.value) };
}

type Shared = Attributes;

function select(
  choices: readonly string[],
  fallback: string | undefined,
  required: boolean,
  shared: Shared,
): Control {
  const none = fallback === undefined ? 'not sent' : `not sent: ${fallback}`;
  const element = h(
    'select',
    { ...shared },
    h('option', { value: '' }, required ? 'choose' : none),
    ...choices.map((choice, i) => h('option', { value: i + 1 }, choice)),
  );
  return { element, text: () => choices[Number(element.value) - 1] };
}

/** A box is sent when it differs from its default. */
function checkbox(fallback: unknown, shared: Shared): Control {
  const element = h('input', { ...shared, type: 'checkbox', checked: fallback === true });
  const text = (): string | undefined =>
    element.checked === (fallback === true) ? undefined : String(element.checked);
  return { element, text };
}

/** The difference of local time from UTC: `+02:00`. */
function offsetOf(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const two = (n: number): string => String(n).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}
