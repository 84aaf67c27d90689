/** Why a call is not run as it was sent, for whoever sent it: most often a language model, which then sends another one. */

export class Refusal extends Error {
  override readonly name = 'Refusal';
  /** Whether it may be wrong because something has changed in the database that is not known here yet. */
  readonly uncertain: boolean;

  /** `message` says what was wrong, what is allowed and what to do, in a sentence or two. */
  constructor(message: string, { uncertain = false } = {}) {
    super(message);
    this.uncertain = uncertain;
  }
}

/** Characters of what was sent, and of a list of what is allowed, that a message repeats. */
const SHOWN = 80;
const LISTED = 1_500;

/** shown is what was sent, as a message repeats it. */
export function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(typeof value === 'string' ? cut(value) : value);
}

/** cut is the beginning of a text, where it is long. */
export function cut(text: string): string {
  return (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text).toWellFormed();
}

/** listed writes down names that are allowed, as many as a message may have. */
export function listed(names: readonly string[]): string {
  let length = 0;
  const few = names.filter((name) => (length += name.length + 2) <= LISTED);
  const rest = names.length - few.length;
  return rest > 0 ? `${few.join(', ')} and ${rest} more` : few.join(', ');
}
