/** bcrypt with its calls counted. */
import bcrypt from 'bcrypt';
import type { Bcrypt } from '#app/access/logins/password.js';

export interface CountedBcrypt extends Bcrypt {
  /** Cost of each comparison. */
  readonly compared: number[];
  /** Number of hashes made. */
  hashed: number;
  /** Maximum number of simultaneous calls. */
  most: number;
}

/** countedBcrypt counts calls; `compare` and `hash` are those of the package. */
export function countedBcrypt(): CountedBcrypt {
  let running = 0;
  const during = async <T>(work: Promise<T>): Promise<T> => {
    counted.most = Math.max(counted.most, ++running);
    return work.finally(() => running--);
  };
  const counted = {
    compared: [] as number[],
    hashed: 0,
    most: 0,
    compare: (password: string, hash: string) => {
      counted.compared.push(Number(hash.slice(4, 6)));
      return during(bcrypt.compare(password, hash));
    },
    hash: (password: string, cost: number) => {
      counted.hashed++;
      return during(bcrypt.hash(password, cost));
    },
  };
  return counted as CountedBcrypt;
}
