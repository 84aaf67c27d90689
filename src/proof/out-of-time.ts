/** OutOfTime ends the proof of a script whose time was over while a text was rendered, or PostgreSQL parsed it. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';

  constructor() {
    super('the time for the proof is over');
  }
}
