/**
 * ArgumentError rejects a call because of its arguments. The message is for its sender, usually a language model, which
 * then corrects the call.
 */
import { similar } from '../../base/nearest.js';

export class ArgumentError extends Error {
  override readonly name = 'ArgumentError';
  /** Whether the cause may be a change in the database that the cached catalog does not have yet. */
  readonly uncertain: boolean;

  /** `message` names the error, the allowed values and a remedy, in one or two sentences. */
  constructor(message: string, { uncertain = false } = {}) {
    super(message);
    this.uncertain = uncertain;
  }
}

/** Most characters of a value, and of a list of allowed names, in a message. */
const MAX_VALUE = 80;
const MAX_LIST = 1_500;

/** describeValue writes an argument for a message. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(typeof value === 'string' ? shorten(value) : value);
}

export function shorten(text: string): string {
  return (text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text).toWellFormed();
}

/** listNames joins the allowed names, as many as fit into a message. */
export function listNames(names: readonly string[]): string {
  let length = 0;
  const few = names.filter((name) => (length += name.length + 2) <= MAX_LIST);
  const rest = names.length - few.length;
  return rest > 0 ? `${few.join(', ')} and ${rest} more` : few.join(', ');
}

/** Longest name that is compared with others, characters. */
const LONGEST_COMPARED = 100;

/** nearestHint asks for the name that a wrong one resembles, with a space before it; empty if it resembles none. */
export function nearestHint(name: string, names: readonly string[]): string {
  const meant = name.length > LONGEST_COMPARED ? undefined : similar(name, names);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}
