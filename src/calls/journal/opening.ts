/**
 * The initial transition of a call's chart. This transition is known before the call exists, so it can be stored with
 * the call's row.
 */
import { callMachine } from '#machines/call.ts';
import type { ChartOpening } from '#src/persistence/calls/call-transitions.ts';
import { chartVersionOf } from './chart-version.ts';

type State = (typeof callMachine)['root'];

const firstOf = ({ initial, path }: State): string => {
  const [first] = initial.target ?? [];
  return first === undefined ? path.join('.') : firstOf(first);
};

/** Initial transition of a new call. A call that is taken over begins in another state. */
export const callOpening: ChartOpening = {
  chartVersion: chartVersionOf('call'),
  state: firstOf(callMachine.root),
};
