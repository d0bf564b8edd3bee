/** Clock interface, also usable as the clock of an XState actor. */
export interface Clock {
  /** Wall-clock milliseconds since the epoch. */
  now(): number;
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
}
