/** OutOfTime ends the proof of a script whose time was over while PostgreSQL parsed a statement. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';

  constructor() {
    super('the time for the proof is over');
  }
}
