/** One measurement. What it starts belongs to `started`, which is disposed of also when the run is broken off. */
export type Bench = (run: {
  started: AsyncDisposableStack;
  print: (figure: string, text: string) => void;
}) => Promise<void>;
