/** JSON for fuzz targets: tokens, texts, and what JSON.parse makes of one. */
export const JSON_TOKENS = ['{', '}', '[', ']', ',', ':', '"', '"a"', '"a":1', '"__proto__":', '"constructor":', 'null', 'true', 'false', '0', '-0', '1.5e3', '1E400', '-', '01', '.5', '0x1', 'NaN', 'Infinity', '"\\u0000"', '"\\ud83d"', '"\\ud83d\\ude00"', '"\\u00e9"', '"\\x"', '\\', '\\u', '\\u00', '//', '/* */', ' ', '\n', '\t', '\ufeff', '\0', '[[[[', '{"a":', '"a":1,"a":2', 'é', '"hush"']; // prettier-ignore

export const JSON_TEXTS = [
  '{"a":1,"b":["x","y"],"c":{"d":null,"e":[{"f":true}]},"g":"h\\n\\u00e9"}',
  '{"name":"hush","price":12.50,"tags":[],"__proto__":"p","a.b":1,"a":{"b":2}}',
  '[1,2,{"a":[]},"x",null]',
  '"text"',
  ' { "a" : -0.0e-1 , "A" : 9007199254740993 } ',
];

/** parsedOf is what JSON.parse makes of a text; undefined when it is no JSON. */
export function parsedOf(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** depthOf is the deepest nesting of objects and lists in a JSON text. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const { 0: token } of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '{' || token === '[') deepest = Math.max(deepest, ++depth);
    else if (token === '}' || token === ']') depth--;
  }
  return deepest;
}

/** hasRepeated tells whether an object of a JSON text, which is valid, has a member twice. */
export function hasRepeated(text: string): boolean {
  const open: (Set<unknown> | undefined)[] = [];
  for (const { 0: token, 1: name } of text.matchAll(
    /("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[[\]{}]/g,
  )) {
    if (name !== undefined) {
      const names = open.at(-1)!;
      const parsed = JSON.parse(name) as unknown;
      if (names.has(parsed)) return true;
      names.add(parsed);
    } else if (token === '{') open.push(new Set());
    else if (token === '[') open.push(undefined);
    else if (token === '}' || token === ']') open.pop();
  }
  return false;
}

/** textsIn are the names and texts of a parsed JSON value. */
export function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const one of value) yield* textsIn(one);
  else if (typeof value === 'object' && value !== null)
    for (const [name, one] of Object.entries(value)) {
      yield name;
      yield* textsIn(one);
    }
}

/** charactersOf counts the characters of a text, a surrogate pair as one. */
export function charactersOf(text: string): number {
  return Array.from(text).length;
}
