/** The texts in the files of a directory. */
import type { Logger } from '../../observe/log.js';
import { ScriptScan } from '../../script/files/script-scan.js';
import type { ServedText, ServedTexts, TextSource } from './served-texts.js';

const NONE: ReadonlySet<string> = new Set();

export class FileTexts implements TextSource {
  readonly #scan: ScriptScan;

  /** `location` is the directory, absolute. */
  constructor(location: string, log: Logger) {
    this.#scan = new ScriptScan(location, log);
  }

  get unreadable(): string | undefined {
    return this.#scan.unreadable;
  }

  get took(): number {
    return this.#scan.took;
  }

  async read(): Promise<ServedTexts | undefined> {
    const found = await this.#scan.texts();
    if (found === undefined) return undefined;
    const texts = found.map(({ folder, name, verb, compiled }): ServedText => ({
      script: `${folder}/${name}`,
      verb,
      own: undefined,
      compiled,
    }));
    return { texts, own: NONE };
  }
}
