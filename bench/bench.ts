/**
 * One measurement. Resources that it starts belong to `started`, which is disposed of even if the run is interrupted.
 */
export type Bench = (run: {
  started: AsyncDisposableStack;
  print: (figure: string, text: string) => void;
}) => Promise<void>;
