/** ringBody is the body of a response in tests of the ring, whose length follows from its id. */
export function ringBody(id: number): string {
  return String.fromCharCode(97 + (id % 26)).repeat((id * 7_919) % 10_000);
}
