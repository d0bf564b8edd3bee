/** The pages that show drawings of the charts, and what is drawn on each. */
import type { AnyStateMachine } from 'xstate';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import { deliveryMachine } from '#machines/delivery.ts';
import { lineLifeMachine } from '#machines/line-life.ts';
import { trunkMachine } from '#machines/trunk.ts';
import { voicemailMachine } from '#machines/voicemail.ts';
import { mermaid } from './mermaid.ts';
import { stateGraph } from './state-graph.ts';

const labelled = (machine: AnyStateMachine): string => mermaid(stateGraph(machine));

/** By the path of the page; the drawings in their order on it. */
export const drawingsOfPages: Readonly<Record<string, readonly string[]>> = {
  'machines/README.md': [
    callMachine,
    conversationMachine,
    voicemailMachine,
    lineLifeMachine,
    trunkMachine,
    deliveryMachine,
  ].map(labelled),
  'README.md': [mermaid(stateGraph(callMachine), { withLabels: false })],
};

const drawing = /(?<=^```mermaid\n).*?(?=^```$)/gms;

/** The page with its drawings as the charts are now. Throws where the page has another number of them. */
export const withDrawings = (page: string, drawings: readonly string[]): string => {
  const left = [...drawings];
  const drawn = page.replaceAll(drawing, () => {
    const next = left.shift();
    if (next === undefined) throw new Error('The page shows more drawings than there are charts for it');
    return next;
  });
  if (left.length > 0) throw new Error('The page has no place for some of its charts');
  return drawn;
};
