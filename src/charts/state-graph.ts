/** A chart as boxes and arrows, independent of how it is drawn. */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import { toDirectedGraph } from 'xstate/graph';

export type StateBox = {
  /** Dotted path of the state, as in snapshots; empty for the machine itself. */
  id: string;
  name: string;
  description: string | undefined;
  isInitial: boolean;
  isFinal: boolean;
  children: StateBox[];
};

export type Arrow = { from: string; to: string; labels: string[] };

export type StateGraph = { root: StateBox; arrows: Arrow[] };

type DirectedNode = ReturnType<typeof toDirectedGraph>;

const idOf = ({ path }: AnyStateNode): string => path.join('.');

const boxOf = ({ stateNode, children }: DirectedNode): StateBox => ({
  id: idOf(stateNode),
  name: stateNode.key,
  description: stateNode.description,
  isInitial: stateNode.parent?.config.initial === stateNode.key,
  isFinal: stateNode.type === 'final',
  children: children.map(boxOf),
});

/** Returns the label of a transition for its event type, including XState's types of transitions without an event. */
const eventName = (type: string): string => {
  const [, delay] = /^xstate\.after\.([^.]+)\./.exec(type) ?? [];
  if (delay !== undefined) return `after ${delay}`;
  const [, outcome, actor = ''] = /^xstate\.(done|error)\.(?:actor|state)\.(.+)$/.exec(type) ?? [];
  if (outcome !== undefined) return `${actor.split('.').at(-1)} ${outcome === 'done' ? 'is done' : 'fails'}`;
  return type;
};

const guardName = (guard: AnyTransitionDefinition['guard']): string | undefined => {
  if (typeof guard === 'string') return guard;
  return typeof guard === 'object' && 'type' in guard ? guard.type : undefined;
};

const labelOf = ({ eventType, guard }: AnyTransitionDefinition): string => {
  const event = eventName(eventType);
  const condition = guardName(guard);
  if (condition === undefined) return event === '' ? 'else' : event;
  return event === '' ? `[${condition}]` : `${event} [${condition}]`;
};

type Transition = { source: AnyStateNode; target: AnyStateNode; transition: AnyTransitionDefinition };

/**
 * Reads the transitions of a state from its definition, because XState's own graph omits eventless transitions
 * (`always`).
 */
const transitionsIn = ({ stateNode, edges, children }: DirectedNode): Transition[] => [
  ...(stateNode.always ?? []).flatMap((transition) =>
    (transition.target ?? []).map((target) => ({ source: stateNode, target, transition })),
  ),
  ...edges,
  ...children.flatMap(transitionsIn),
];

/** Merges arrows between the same boxes and omits arrows without a target. */
export const stateGraph = (machine: AnyStateMachine): StateGraph => {
  const graph = toDirectedGraph(machine);
  const arrows = new Map<string, Arrow>();
  for (const { source, target, transition } of transitionsIn(graph)) {
    if (transition.target === undefined || source === target) continue;
    const from = idOf(source);
    const to = idOf(target);
    const arrow = arrows.get(`${from} ${to}`) ?? { from, to, labels: [] };
    const label = labelOf(transition);
    if (!arrow.labels.includes(label)) arrow.labels.push(label);
    arrows.set(`${from} ${to}`, arrow);
  }
  return { root: boxOf(graph), arrows: [...arrows.values()] };
};

/** Returns the graph with this many levels of states. Deeper states are merged into their parent. */
export const outlineOf = ({ root, arrows }: StateGraph, levels: number): StateGraph => {
  const shown = (id: string): string => id.split('.').slice(0, levels).join('.');
  const cut = (box: StateBox, left: number): StateBox => ({
    ...box,
    children: left === 0 ? [] : box.children.map((child) => cut(child, left - 1)),
  });
  const merged = new Map<string, Arrow>();
  for (const { from, to, labels } of arrows) {
    const arrow = { from: shown(from), to: shown(to), labels };
    const known = merged.get(`${arrow.from} ${arrow.to}`);
    if (known !== undefined) arrow.labels = [...new Set([...known.labels, ...labels])];
    if (arrow.from !== arrow.to || from === to) merged.set(`${arrow.from} ${arrow.to}`, arrow);
  }
  return { root: cut(root, levels), arrows: [...merged.values()] };
};
