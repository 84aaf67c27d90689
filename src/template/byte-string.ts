/**
 * Go strings as JavaScript strings. A Go string is bytes, usually UTF-8, and a slice or an escape may cut a character in
 * half. Here a byte that is not part of valid UTF-8 is a lone surrogate, U+DC80 to U+DCFF (as in Python's
 * surrogateescape). Strings are always normalized: bytes that form a character are stored as that character.
 */
import { Buffer } from 'node:buffer';

const REPLACEMENT = 0xfffd;

export function byteLength(text: string): number {
  let n = text.length;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x80) continue;
    if (c < 0x800) n += 1;
    else if (c >= 0xd800 && c <= 0xdbff) {
      n += 2;
      i++;
    } else if (!isLoneByte(c)) n += 2;
  }
  return n;
}

/** isAscii tells whether a string is ASCII, so that its offsets are the same in bytes and in UTF-16 units. */
export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) >= 0x80) return false;
  return true;
}

/** isLoneByte tells whether a UTF-16 unit, which is not the second of a pair, stands for a single byte. */
export function isLoneByte(unit: number): boolean {
  return unit >= 0xdc80 && unit <= 0xdcff;
}

export function loneByte(byte: number): string {
  return String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte);
}

export function toBytes(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c >= 0xd800 && c <= 0xdbff) i++;
    else if (isLoneByte(c)) {
      parts.push(Buffer.from(text.slice(start, i), 'utf8'), Buffer.of(c - 0xdc00));
      start = i + 1;
    }
  }
  parts.push(Buffer.from(text.slice(start), 'utf8'));
  return Buffer.concat(parts);
}

/** fromBytes converts bytes to a normalized Go string. */
export function fromBytes(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd')) return text;
  let out = '';
  for (let i = 0; i < bytes.length;) {
    const size = runeSize(bytes, i);
    if (size === 0) out += loneByte(bytes[i++]!);
    else {
      out += bytes.toString('utf8', i, i + size);
      i += size;
    }
  }
  return out;
}

/** normalize joins single bytes that form characters, after a concatenation. */
export function normalize(text: string): string {
  return text.isWellFormed() ? text : fromBytes(toBytes(text));
}

/** sliceBytes is text[from:to] in bytes. */
export function sliceBytes(text: string, from: number, to: number): string {
  if (isAscii(text)) return text.slice(from, to);
  return fromBytes(toBytes(text).subarray(from, to));
}

/** byteAt is text[i]. */
export function byteAt(text: string, i: number): number {
  return isAscii(text) ? text.charCodeAt(i) : toBytes(text)[i]!;
}

/** compareStrings orders Go strings by their bytes: negative, zero or positive. */
export function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  const n = Math.min(a.length, b.length);
  for (let i = 0; i < n; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    if (x < 0xd800 && y < 0xd800) return x - y;
    return Buffer.compare(toBytes(a), toBytes(b));
  }
  return a.length - b.length;
}

/** countRunes counts a Go string's characters; a single byte counts as one. */
export function countRunes(text: string): number {
  let n = text.length;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c >= 0xd800 && c <= 0xdbff) {
      n--;
      i++;
    }
  }
  return n;
}

/** firstRunes is the first n characters. */
export function firstRunes(text: string, n: number): string {
  if (n >= text.length) return text;
  let i = 0;
  for (; n > 0 && i < text.length; n--) {
    const c = text.charCodeAt(i);
    i += c >= 0xd800 && c <= 0xdbff ? 2 : 1;
  }
  return text.slice(0, i);
}

/** runeText is the text of a code point; an invalid one becomes U+FFFD. */
export function runeText(rune: number): string {
  const valid = rune >= 0 && rune <= 0x10ffff && (rune < 0xd800 || rune > 0xdfff);
  return String.fromCodePoint(valid ? rune : REPLACEMENT);
}

/** runeSize is the length of the valid UTF-8 sequence at i, or 0. */
function runeSize(bytes: Buffer, i: number): number {
  const b = bytes[i]!;
  if (b < 0x80) return 1;
  const size =
    b >= 0xc2 && b <= 0xdf ? 2 : b >= 0xe0 && b <= 0xef ? 3 : b >= 0xf0 && b <= 0xf4 ? 4 : 0;
  if (size === 0 || i + size > bytes.length) return 0;
  for (let k = 1; k < size; k++) if ((bytes[i + k]! & 0xc0) !== 0x80) return 0;
  const second = bytes[i + 1]!;
  if ((b === 0xe0 && second < 0xa0) || (b === 0xed && second > 0x9f)) return 0;
  if ((b === 0xf0 && second < 0x90) || (b === 0xf4 && second > 0x8f)) return 0;
  return size;
}
