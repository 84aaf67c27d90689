/** Texts of this repository as the corpora of fuzz targets. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** vectorsOf gives the conformance vectors of the files whose names begin so. */
export function vectorsOf<T>(prefix: string): T[] {
  const folder = join('test', 'vectors');
  const files = readdirSync(folder).filter((name) => name.startsWith(prefix));
  return files.sort().flatMap((name) => {
    const lines = readFileSync(join(folder, name), 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line) as T);
  });
}

/** textsBelow gives the texts of the files with this extension below a folder, without very long ones. */
export function textsBelow(folder: string, extension: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) === extension)
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .filter((text) => text.length < 4_096);
}

/** examplesOf gives the examples of a language in the documents. */
export function examplesOf(language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  return readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .sort()
    .flatMap((name) => [...readFileSync(join('docs', name), 'utf8').matchAll(fence)])
    .map((match) => match[1]!);
}
