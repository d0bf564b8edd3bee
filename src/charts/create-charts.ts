import type { AnyStateMachine } from 'xstate';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import { voicemailMachine } from '#machines/voicemail.ts';
import { drawChart } from './draw-chart.ts';
import { stateGraph } from './state-graph.ts';

/** The charts of a call, whose pictures its onlookers see. */
export const callCharts = {
  call: callMachine,
  conversation: conversationMachine,
  voicemail: voicemailMachine,
};

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
