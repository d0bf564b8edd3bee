import type { AnyStateMachine } from 'xstate';
import { drawChart } from './draw-chart.ts';
import { stateGraph } from './state-graph.ts';

/** Pictures of charts, each drawn when it is first asked for. */
export const createCharts = <Name extends string>(
  machines: Readonly<Record<Name, AnyStateMachine>>,
): ((name: Name) => Promise<string>) => {
  const drawn = new Map<Name, Promise<string>>();
  return (name) => {
    const picture = drawn.get(name) ?? drawChart(stateGraph(machines[name]));
    drawn.set(name, picture);
    return picture;
  };
};
