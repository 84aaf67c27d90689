/** Every request of examples/requests.http, as an editor sends it, has the answer that the file promises. */
import t from 'tap';
import { projectFile, startShop } from './shop.js';

const shop = await startShop(t);

/** A request, and the status that its title names; 200 otherwise. */
interface FileRequest {
  readonly title: string;
  readonly request: string;
  readonly headers: readonly string[];
  readonly body: string | undefined;
  readonly status: number;
}

const requests = projectFile('examples/requests.http')
  .split(/^### /m)
  .slice(1)
  .map((part): FileRequest => {
    const [head = '', ...bodies] = part.trimEnd().split('\n\n');
    const [title = '', request = '', ...headers] = head.split('\n');
    const status = Number(/the answer is (\d{3})/.exec(title)?.[1] ?? 200);
    return { title, request, headers, body: bodies.length === 0 ? undefined : bodies.join('\n\n'), status }; // prettier-ignore
  });

t.ok(requests.length > 10);

for (const { title, request, headers, body, status } of requests)
  t.test(title, async (t) => {
    t.match(request, /^[A-Z]+ \{\{base\}\}\//);
    t.strictSame(headers, body === undefined ? [] : ['Content-Type: application/json']);
    const expected = status === 200 && request.startsWith('POST') ? 201 : status;
    const answer = await shop.send(request.replace('{{base}}', ''), body);
    t.equal(answer.status, expected, answer.text);
    if (request.includes('_renderer=xml')) t.match(answer.text, /^<objects>/);
  });
