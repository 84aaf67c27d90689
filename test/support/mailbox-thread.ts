/** A thread with a mailbox, for tests: tells its address, and then does what the task names. */
import { parentPort, workerData } from 'node:worker_threads';
import { Mailbox } from '#app/native/mailbox.js';
import { VALUE, type LargeValue } from '#app/native/pipeline.js';
import { Pipelined } from './pipelined.js';

export type MailboxTask = 'echo' | 'send' | 'large' | 'throw' | 'idle' | 'deaf';

const { task, address, count, conninfo } = workerData as {
  task: MailboxTask;
  /** Where it posts to. */
  address: number;
  count: number;
  conninfo: string;
};

const stay = (): void => void setInterval(() => undefined, 1000);

/** left is what became of a value. */
function left(value: LargeValue): string {
  try {
    return value.text();
  } catch (error) {
    return (error as Error).message;
  }
}

/** Posts `count` large values of a million digits, and says how some of them are afterwards. */
async function large(mailbox: Mailbox): Promise<void> {
  const connection = await Pipelined.connect(conninfo, 1 << 28);
  const { pipeline } = connection;
  for (let i = 1; i <= count; i++) {
    pipeline.send('', `SELECT repeat('${i % 10}', 1000000)`, [], VALUE);
    if (i % 10 > 0 && i < count) continue;
    const values = (await connection.outcomes(((i - 1) % 10) + 1)) as LargeValue[];
    for (const value of values) mailbox.post(address, '', [value]);
    mailbox.post(address, `${values[0]!.length} ${left(values[0]!)}`);
  }
  mailbox.post(address, 'done');
}

const tasks: Record<MailboxTask, () => void> = {
  echo: () => {
    const mailbox = new Mailbox((text) => {
      if (text === 'end') process.exit();
      mailbox.post(address, text);
    });
    parentPort!.postMessage(mailbox.address);
    stay();
  },
  send: () => {
    const mailbox = new Mailbox(() => undefined);
    parentPort!.postMessage(mailbox.address);
    for (let i = 0; i < count; i++) mailbox.post(address, `${mailbox.address}:${i}`);
  },
  large: () => {
    const mailbox = new Mailbox(() => undefined);
    parentPort!.postMessage(mailbox.address);
    void large(mailbox);
  },
  throw: () => {
    const mailbox = new Mailbox((text) => {
      if (text === 'throw') throw new Error('thrown on purpose');
      mailbox.post(address, text);
    });
    process.on('uncaughtException', (error) => mailbox.post(address, error.message));
    parentPort!.postMessage(mailbox.address);
    stay();
  },
  idle: () => {
    parentPort!.postMessage(new Mailbox(() => undefined).address);
  },
  deaf: () => {
    parentPort!.postMessage(new Mailbox(() => undefined).address);
    for (;;);
  },
};

tasks[task]();
