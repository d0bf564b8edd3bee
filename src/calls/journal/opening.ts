/** The initial state of each call's chart: known before the call exists, so that it is stored with the call's row. */
import { callMachine } from '#machines/call.ts';
import type { ChartOpening } from '#src/persistence/calls/call-transitions.ts';
import { chartVersionOf } from './chart-version.ts';

type State = (typeof callMachine)['root'];

const firstOf = ({ initial, path }: State): string => {
  const [first] = initial.target ?? [];
  return first === undefined ? path.join('.') : firstOf(first);
};

/** Opening of a new call; a call that is taken over begins in another state. */
export const callOpening: ChartOpening = {
  chartVersion: chartVersionOf('call'),
  state: firstOf(callMachine.root),
};
