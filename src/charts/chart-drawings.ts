/**
 * Pictures of the charts. `npm run generate-charts` computes their layout in advance, because a layout takes more than
 * half a second of processor time.
 */
import { readFile } from 'node:fs/promises';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import { inboundLegMachine } from '#machines/inbound-leg.ts';
import { lineLifeMachine } from '#machines/line-life.ts';
import { outboundLegMachine } from '#machines/outbound-leg.ts';
import { voicemailMachine } from '#machines/voicemail.ts';
import type { AnyStateMachine } from 'xstate';

/**
 * Returns the definition of a chart as JSON for `createMachine`, Stately Studio and XState: states, transitions, and
 * names of actions, guards, delays and actors. Computed parts (context, input, output, parameters) are code and are
 * omitted. `version` is the chart's version in stored transitions.
 */
export const chartDefinition = ({ config }: AnyStateMachine, version: string): string =>
  JSON.stringify({ ...config, version }, null, 2);

/** Charts that are shown for a call. */
export const callCharts = {
  call: callMachine,
  conversation: conversationMachine,
  voicemail: voicemailMachine,
  'line-life': lineLifeMachine,
  'outbound-leg': outboundLegMachine,
  'inbound-leg': inboundLegMachine,
};

type CallChart = keyof typeof callCharts;

/** Path of the generated file. */
export const drawingFile = (name: CallChart): URL => new URL(`drawings/${name}.svg`, import.meta.url);

/** Returns the picture of a chart as SVG; each file is read once. */
export const createChartDrawings = (): ((name: CallChart) => Promise<string>) => {
  const read = new Map<CallChart, Promise<string>>();
  return (name) => {
    const drawing = read.get(name) ?? readFile(drawingFile(name), 'utf8');
    read.set(name, drawing);
    drawing.catch(() => read.delete(name));
    return drawing;
  };
};
