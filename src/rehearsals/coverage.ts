/**
 * Coverage of the charts `call` and `conversation`: states and transitions of calls, computed from their journalled
 * transitions. States that are left at once are not journalled; between two journalled states the shortest path through
 * the chart is assumed.
 */
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import { coveredCharts as chartNames, type ChartCoverage } from '#src/domain/rehearsal.ts';
import { stateGraph, type Arrow, type StateBox, type StateGraph } from '#src/charts/state-graph.ts';

/** One step of a call's replay, as the API returns it. */
export type JournalledStep = { event: string; call: string; conversation: string | null };

type ChartName = ChartCoverage['chart'];

const graphs: Readonly<Record<ChartName, StateGraph>> = {
  call: stateGraph(callMachine),
  conversation: stateGraph(conversationMachine),
};

const boxesIn = (box: StateBox): StateBox[] => box.children.flatMap((child) => [child, ...boxesIn(child)]);

/** State names as in the drawings, such as `active.talking.conversing`. */
export const stateNames: ReadonlySet<string> = new Set(
  chartNames.flatMap((name) => boxesIn(graphs[name].root).map(({ id }) => id)),
);

export const isWithin = (state: string, outer: string): boolean =>
  outer === '' || state === outer || state.startsWith(`${outer}.`);

/** Whether a transition with this label matches an event of a replay. */
const isOf = (label: string, event: string): boolean => {
  if (event === '(time)') return label.startsWith('after ');
  if (event.startsWith('xstate.done.')) return / is done( |$)/.test(label);
  if (event.startsWith('xstate.error.')) return / fails( |$)/.test(label);
  return label === event || label.startsWith(`${event} [`);
};

/** Whether a transition is eventless: taken at once when its source state is entered. */
const isImmediate = (label: string): boolean => label === 'else' || label.startsWith('[');

type Way = { state: string; arrows: readonly Arrow[] };

const createChart = (graph: StateGraph) => {
  const boxes = new Map([graph.root, ...boxesIn(graph.root)].map((box) => [box.id, box]));
  const visitedStates = new Set<string>();
  const visitedArrows = new Set<Arrow>();

  /** Returns the innermost state that is entered with a state. */
  const entered = (id: string): string => {
    const initial = boxes.get(id)?.children.find(({ isInitial }) => isInitial);
    return initial === undefined ? id : entered(initial.id);
  };

  /** Lists transitions from the innermost state outwards, in the order in which a chart searches them. */
  const arrowsFrom = (state: string, isTaken: (label: string) => boolean): Arrow[] =>
    graph.arrows
      .filter(({ from, labels }) => isWithin(state, from) && labels.some(isTaken))
      .sort((one, other) => other.from.length - one.from.length);

  const after = ({ arrows }: Way, arrow: Arrow): Way => ({
    state: entered(arrow.to),
    arrows: [...arrows, arrow],
  });

  const note = (state: string): void => {
    for (const id of boxes.keys()) if (id !== '' && isWithin(state, id)) visitedStates.add(id);
  };

  /** Shortest path that leads to this state without further events. */
  const shortest = (begun: readonly Way[], state: string): Way | undefined => {
    const seen = new Set<string>();
    let ways = begun;
    while (ways.length > 0) {
      const arrived = ways.find((way) => way.state === state);
      if (arrived !== undefined) return arrived;
      for (const way of ways) seen.add(way.state);
      ways = ways
        .flatMap((way) => arrowsFrom(way.state, isImmediate).map((arrow) => after(way, arrow)))
        .filter((way) => !seen.has(way.state));
    }
    return undefined;
  };

  return {
    move(before: string | null, event: string, state: string): void {
      const here: Way = { state: before ?? entered(''), arrows: [] };
      // An event may change the context without a transition, and the new context may enable an eventless transition.
      const begun =
        before === null
          ? [here]
          : [...arrowsFrom(before, (label) => isOf(label, event)).map((arrow) => after(here, arrow)), here];
      for (const arrow of shortest(begun, state)?.arrows ?? []) {
        visitedArrows.add(arrow);
        note(entered(arrow.to));
      }
      if (before === null) note(here.state);
      note(state);
    },
    coverage(chart: ChartName): ChartCoverage {
      const states = [...boxes.keys()].filter((id) => id !== '');
      const { arrows } = graph;
      return {
        chart,
        states: {
          visited: visitedStates.size,
          all: states.length,
          never: states.filter((id) => !visitedStates.has(id)),
        },
        transitions: {
          visited: visitedArrows.size,
          all: arrows.length,
          never: arrows
            .filter((arrow) => !visitedArrows.has(arrow))
            .map(({ from, to, labels }) => `${from || '(any)'} → ${to}: ${labels.join(', ')}`),
        },
      };
    },
  };
};

export type Coverage = {
  add(steps: readonly JournalledStep[]): void;
  report(): ChartCoverage[];
};

export const createCoverage = (): Coverage => {
  const charts = { call: createChart(graphs.call), conversation: createChart(graphs.conversation) };
  return {
    add(steps) {
      for (const name of chartNames) {
        let before: string | null = null;
        for (const { event, [name]: state } of steps) {
          if (state !== null && state !== before) charts[name].move(before, event, state);
          before = state;
        }
      }
    },
    report: () => chartNames.map((name) => charts[name].coverage(name)),
  };
};

/** Returns the states in which a call was, including their parent states. */
export const statesOf = (steps: readonly JournalledStep[]): Set<string> => {
  const states = new Set<string>();
  for (const step of steps)
    for (const name of chartNames)
      for (const id of stateNames) if (isWithin(step[name] ?? '', id)) states.add(id);
  return states;
};
