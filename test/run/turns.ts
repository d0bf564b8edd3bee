/** Turns of test files: tests of one file run beside each other, those of another one begin when all of them have ended. */

export type Turns = {
  /** Resolves when no test of another file runs. Each test ends once. */
  begin(file: string): Promise<void>;
  end(): void;
};

export const createTurns = (): Turns => {
  let current: string | undefined;
  let running = 0;
  const waiting = new Map<string, (() => void)[]>();
  return {
    begin(file) {
      current ??= file;
      if (current === file) {
        running += 1;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.set(file, [...(waiting.get(file) ?? []), resolve]));
    },
    end() {
      running -= 1;
      if (running > 0) return;
      const [next] = waiting;
      current = next?.[0];
      if (next === undefined) return;
      const [file, begins] = next;
      waiting.delete(file);
      running = begins.length;
      for (const begin of begins) begin();
    },
  };
};
