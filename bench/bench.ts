/** One bench. `started` disposes of the resources that it starts, even if the run is interrupted. */
export type Bench = (run: {
  started: AsyncDisposableStack;
  print: (figure: string, text: string) => void;
}) => Promise<void>;
