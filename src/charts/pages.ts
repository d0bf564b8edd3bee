/** Pages with drawings of charts. */
import type { AnyStateMachine } from 'xstate';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import { deliveryMachine } from '#machines/delivery.ts';
import { inboundLegMachine } from '#machines/inbound-leg.ts';
import { lineLifeMachine } from '#machines/line-life.ts';
import { outboundLegMachine } from '#machines/outbound-leg.ts';
import { trunkMachine } from '#machines/trunk-life.ts';
import { voicemailMachine } from '#machines/voicemail.ts';
import { mermaid } from './mermaid.ts';
import { outlineOf, stateGraph } from './state-graph.ts';

const labelled = (machine: AnyStateMachine): string => mermaid(stateGraph(machine));

/** Drawings by the path of their page, in their order on the page. */
export const drawingsOfPages: Readonly<Record<string, readonly string[]>> = {
  'machines/charts.md': [
    callMachine,
    conversationMachine,
    voicemailMachine,
    lineLifeMachine,
    outboundLegMachine,
    inboundLegMachine,
    trunkMachine,
    deliveryMachine,
  ].map(labelled),
  'guides/design/calls.md': [mermaid(outlineOf(stateGraph(callMachine), 3), { withLabels: false })],
};

const beginning = '```mermaid\n';
const end = '\n```';

/** Returns the page with current drawings. Throws if the number of drawings differs. */
export const withDrawings = (page: string, drawings: readonly string[]): string => {
  const [first = '', ...others] = page.split(beginning);
  if (others.length > drawings.length) {
    throw new Error('The page shows more drawings than there are charts for it');
  }
  if (others.length < drawings.length) throw new Error('The page has no place for some of its charts');
  const drawn = others.map((part, index) => (drawings[index] ?? '') + part.slice(part.indexOf(end) + 1));
  return [first, ...drawn].join(beginning);
};
