/** Where the files of this package are, whichever module or bundle of it asks. */
import { createRequire } from 'node:module';
import path from 'node:path';

/** installedFile gives the absolute path of `file`, a path within the package such as `dist/programs/serve.js`. */
export function installedFile(file: string): string {
  return path.join(path.dirname(createRequire(import.meta.url).resolve('#package')), file);
}
