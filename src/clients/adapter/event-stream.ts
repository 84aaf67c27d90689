/** Parser of text/event-stream. Types and ids of events and comments are ignored. */
import { LineSplitter, TOO_LONG } from './line-splitter.js';

/** readEvents yields the data of each event. Throws if a line or an event is larger than `limit` bytes. */
export async function* readEvents(
  stream: AsyncIterable<Buffer>,
  limit: number,
): AsyncGenerator<Buffer> {
  const lines = new LineSplitter(limit);
  let data: Buffer[] = [];
  let length = 0;
  for await (const bytes of stream) {
    for (const line of lines.push(bytes)) {
      if (line === TOO_LONG || length > limit)
        throw new Error(`an event of more than ${limit} bytes`);
      length += line.length + 1;
      if (line.length > 0) {
        const value = dataOf(line);
        if (value !== undefined) data.push(value, Buffer.from('\n'));
      } else {
        if (data.length > 0) yield Buffer.concat(data.slice(0, -1));
        data = [];
        length = 0;
      }
    }
  }
}

function dataOf(line: Buffer): Buffer | undefined {
  const colon = line.indexOf(':');
  const name = line.toString('latin1', 0, colon === -1 ? line.length : colon);
  if (name !== 'data') return undefined;
  if (colon === -1) return Buffer.alloc(0);
  return line.subarray(line[colon + 1] === 0x20 ? colon + 2 : colon + 1);
}
