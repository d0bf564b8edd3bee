import type { AnyStateMachine } from 'xstate';

/**
 * What `createMachine` makes the chart of, as JSON that Stately Studio and XState read: states, arrows, and the names of
 * actions, guards, delays and actors. What is computed as it runs (context, input, output and the parameters of actions)
 * is code, and left out. `version` is that of the chart, as transitions of calls name it.
 */
export const chartDefinition = ({ config }: AnyStateMachine, version: string): string =>
  JSON.stringify({ ...config, version }, null, 2);
