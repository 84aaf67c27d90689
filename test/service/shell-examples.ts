/** Commands in a document, run by a shell one after the other, and the JSON that the document shows for each curl command. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Test } from 'tap';

const SHOWN = 'http://127.0.0.1:3000';

/** runExamples runs the commands of a document on the service at `url`, in `folder`, with more variables in `env`. */
export async function runExamples(
  t: Test,
  document: string,
  url: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  let count = 0;
  for (const [, shell = '', blocks = ''] of document.matchAll(
    /^```sh\n(.*?)\n```\n((?:\n```json\n.*?\n```\n?)*)/gms,
  )) {
    const answers: unknown[] = [];
    for (const command of shell.replaceAll('\\\n', ' ').split('\n')) {
      const { stdout } = await promisify(execFile)('sh', ['-c', command.replaceAll(SHOWN, url)], {
        cwd: folder,
        env: { ...process.env, ...env },
      });
      if (command.startsWith('curl')) answers.push(JSON.parse(stdout));
    }
    const wanted = Array.from(blocks.matchAll(/```json\n(.*?)\n```/gs), ([, json]): unknown => JSON.parse(json!)); // prettier-ignore
    t.strictSame(answers, wanted, shell);
    count++;
  }
  t.equal(count, document.split('```sh\n').length - 1, 'all of them');
}
