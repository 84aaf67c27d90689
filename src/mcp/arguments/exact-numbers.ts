/**
 * Numbers in the JSON of rows that a double would not hold: integers beyond ±(2^53-1), and numbers with more digits, or
 * another magnitude, than a double keeps. Clients parse JSON numbers as doubles and would round them silently, so they
 * become strings. The text is searched for long numbers, not parsed.
 */

/**
 * Shorter numbers have at most 15 digits, and a double keeps these; an exponent of three digits may be too large. A match
 * begins where a number begins, so that no digit is looked at twice.
 */
const LONG = /(?<![\d.])-?\d(?:[\d.]{15,}(?:[eE][-+]?\d+)?|[\d.]*[eE][-+]?\d{3,})/g;

/** exactNumbers writes such numbers of a valid JSON text as strings. */
export function exactNumbers(json: string): string {
  let exact = '';
  let copied = 0;
  /** Up to here the text was searched for strings, and this is outside of all of them. */
  let at = 0;
  /** The beginning of the next string. */
  let open = quoteFrom(json, 0);
  LONG.lastIndex = 0;
  for (let found = LONG.exec(json); found !== null; found = LONG.exec(json)) {
    const { index } = found;
    const [number] = found;
    while (open < index) {
      at = endOfString(json, open);
      open = quoteFrom(json, at);
    }
    if (at > index) {
      LONG.lastIndex = at;
      continue;
    }
    if (isKept(number)) continue;
    exact += `${json.slice(copied, index)}"${number}"`;
    copied = index + number.length;
  }
  return copied === 0 ? json : exact + json.slice(copied);
}

function quoteFrom(json: string, at: number): number {
  const found = json.indexOf('"', at);
  return found < 0 ? json.length : found;
}

/** The position after a string that begins at `open`. */
function endOfString(json: string, open: number): number {
  let end = open;
  do end = quoteFrom(json, end + 1);
  while (isEscaped(json, end));
  return end + 1;
}

function isEscaped(json: string, at: number): boolean {
  let before = at;
  while (json.charCodeAt(before - 1) === BACKSLASH) before--;
  return (at - before) % 2 === 1;
}

const BACKSLASH = 0x5c;

/** Whether a number is the same after it was parsed as a double. */
function isKept(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  const isWritten = !/e/i.test(number);
  if (isWritten && Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  return significant(number) === significant(String(value));
}

/** The digits of a number without the zeros around them. PostgreSQL's numbers have up to 150,000. */
function significant(number: string): string {
  const digits = number.replace(/^-/, '').replace(/e.*$/i, '').replace('.', '');
  let from = 0;
  let to = digits.length;
  while (digits.charAt(from) === '0') from++;
  while (to > from && digits.charAt(to - 1) === '0') to--;
  return digits.slice(from, to);
}
