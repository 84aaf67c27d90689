/**
 * freePort gives a port of 127.0.0.1 that was free a moment ago. The kernel does not assign it
 * to others, unless it is configured to assign nearly all ports.
 */
export function freePort(): Promise<number>;
