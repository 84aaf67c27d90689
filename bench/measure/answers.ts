/**
 * Checks responses, because a benchmark of wrong responses is meaningless. Throws with the first difference.
 */
import { isDeepStrictEqual } from 'node:util';
import { methodOf, type Case } from '../cases.js';
import { send, type Address } from '../server.js';

/** checkAnswers requests several ids at once, as a load does, and compares the bodies with the expected ones. */
export async function checkAnswers(
  server: Address,
  subject: Case,
  ids: readonly number[],
): Promise<void> {
  await Promise.all(ids.map((id) => checkAnswer(server, subject, id)));
}

async function checkAnswer(server: Address, subject: Case, id: number): Promise<void> {
  const path = subject.path(id);
  const method = methodOf(subject, id);
  const response = await send(server, path, method, subject.body?.(id));
  const body = await response.text();
  const counted = subject.part ?? ((answer: unknown) => answer);
  const wanted = server.answer ?? subject.answer(id);
  if (response.status === 200 && isDeepStrictEqual(counted(parsed(body)), wanted)) return;
  throw new Error(
    `${method} ${path} on port ${server.port} answered ${response.status} ${body.slice(0, 300)}, ` +
      `not 200 ${JSON.stringify(wanted).slice(0, 300)}`,
  );
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
