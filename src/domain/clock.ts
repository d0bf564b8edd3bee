/** Time as a thing that is handed in. It also serves as the clock of an XState actor. */
export interface Clock {
  /** Wall-clock milliseconds since the epoch. */
  now(): number;
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
}
