import type { AnyStateMachine } from 'xstate';

/**
 * Definition of a chart as JSON for `createMachine`, Stately Studio and XState: states, transitions, and names of
 * actions, guards, delays and actors. Computed parts (context, input, output, parameters) are code and omitted.
 * `version` is the chart's version in stored transitions.
 */
export const chartDefinition = ({ config }: AnyStateMachine, version: string): string =>
  JSON.stringify({ ...config, version }, null, 2);
