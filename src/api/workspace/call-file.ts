/** A call as a file: everything that is stored of it. */
import * as z from 'zod';
import { callFileFormat, callFileVersion, mostAudioBytes } from '#src/domain/call-file.ts';
import { journalledChartNames } from '#src/domain/chart-name.ts';
import type { CallRecord, JournalEntry } from '#src/calls/stored-calls.ts';
import type { ApiServices } from '../api-services.ts';
import { callEvent, presentEvent } from '../calls/call-event-schema.ts';
import { transcriptTurn } from '../calls/call-schema.ts';
import { timestamp } from '../fields.ts';
import type { Decoded } from '../http/codec.ts';
import { replayStep } from './get-call-replay.ts';
import { presentLadder, sipLadder } from './sip-ladder.ts';
import { presentWorkspaceCall, workspaceCall } from './workspace-call-schema.ts';

const milliseconds = z.number().optional();

const chartName = z.enum(journalledChartNames);

/** Lists that a file may contain in part, with the maximum number of their entries. */
const most = { facts: 20_000, transitions: 50_000, turns: 10_000, steps: 50_000 } as const;

export const callFile = z
  .object({
    format: z.literal(callFileFormat),
    version: z.literal(callFileVersion),
    exported_at: timestamp,
    masked: z.boolean().meta({
      description:
        'Whether words, names and digits are replaced by their length, and telephone numbers shortened.',
      example: false,
    }),
    call: workspaceCall,
    facts: z.array(callEvent).meta({ description: 'The events of the call.' }),
    transitions: z
      .array(
        z.object({
          at: timestamp,
          chart: chartName,
          chart_version: z.string().meta({ example: '0a1b2c3d4e5f' }),
          from: z.string().nullable().meta({ description: 'Null for the first state.', example: null }),
          event: z.string().meta({ description: "The event's name in XState.", example: 'xstate.init' }),
          to: z.string().meta({ example: 'ringing.alerting' }),
          facts_before: z.int().min(0).meta({ description: 'Number of events before it.', example: 0 }),
        }),
      )
      .meta({ description: "The transitions of the call's charts, as they were stored." }),
    charts: z
      .array(
        z.object({
          name: chartName,
          version: z.string().meta({
            description: 'Version of the definition. Transitions of an older gateway have another one.',
            example: '0a1b2c3d4e5f',
          }),
          definition: z.record(z.string(), z.unknown()).meta({
            description: 'As returned by `getChartDefinition`.',
            example: { id: 'call', initial: 'ringing', states: {} },
          }),
        }),
      )
      .meta({ description: 'The charts of the transitions.' }),
    steps: z.array(replayStep).meta({ description: 'The replay, as returned by `getCallReplay`.' }),
    turns: z
      .array(
        transcriptTurn.extend({
          whole: z.boolean().meta({ description: 'False if the turn was cut short.', example: true }),
          latency: z
            .object({
              endpointing_ms: milliseconds,
              queued_ms: milliseconds,
              first_token_ms: milliseconds,
              first_sentence_ms: milliseconds,
              first_audio_ms: milliseconds,
            })
            .nullable()
            .meta({
              description: 'Latency of a reply of the agent; null if it was not measured.',
              example: {
                endpointing_ms: 310,
                queued_ms: 0,
                first_token_ms: 210,
                first_sentence_ms: 340,
                first_audio_ms: 520,
              },
            }),
        }),
      )
      .meta({ description: 'The transcript.' }),
    sip: sipLadder,
    truncated: z.array(z.enum(['facts', 'transitions', 'turns', 'steps'])).meta({
      description: 'Lists that were too long, of which only the first entries are here.',
      example: [],
    }),
    audio_left_out: z
      .enum(['not_requested', 'masked', 'none', 'not_available', 'too_large'])
      .nullable()
      .meta({
        description: `Why there is no audio; null if there is some. \`too_large\`: over ${mostAudioBytes / 1024 / 1024} MiB; download the recording itself.`,
        example: 'not_requested',
      }),
    audio: z
      .object({
        content_type: z.string().meta({ example: 'audio/ogg' }),
        base64: z.string().meta({ description: 'The recording.', example: 'T2dnUw==' }),
      })
      .optional()
      .meta({ description: 'The last field of the file; absent without audio.' }),
  })
  .meta({ id: 'CallFile' });

/** The file as JSON. */
export type CallFile = z.input<typeof callFile>;

type Latency = NonNullable<Decoded<z.output<typeof callFile>>['turns'][number]['latency']>;

const latencyIn = ({ data: { latency } }: JournalEntry): Latency | null => {
  if (typeof latency !== 'object' || latency === null) return null;
  const ms = (name: string): number | undefined => {
    const value: unknown = Reflect.get(latency, name);
    return typeof value === 'number' ? value : undefined;
  };
  const found = {
    endpointingMs: ms('endpointingMs'),
    queuedMs: ms('queuedMs'),
    firstTokenMs: ms('firstTokenMs'),
    firstSentenceMs: ms('firstSentenceMs'),
    firstAudioMs: ms('firstAudioMs'),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
};

/** Reads everything that is stored of a call, without its recording. */
export const callFileOf = async (
  call: CallRecord,
  choice: { masked: boolean; timeZone: string; audioLeftOut: CallFile['audio_left_out'] },
  services: ApiServices,
): Promise<Decoded<z.output<typeof callFile>>> => {
  const { storedCalls } = services.calls;
  const { clock, chartDefinitions } = services.operation;
  const [journal, transitions, turns, steps, messages] = await Promise.all([
    storedCalls.journal(call.id),
    storedCalls.transitions(call.id),
    storedCalls.transcript(call.id),
    storedCalls.replay(call),
    storedCalls.sipMessages(call.id),
  ]);
  const lengths = {
    facts: journal.length,
    transitions: transitions.length,
    turns: turns.length,
    steps: steps.length,
  };
  const lists = ['facts', 'transitions', 'turns', 'steps'] as const;
  const latencies = new Map(
    journal
      .filter(({ type, role }) => type === 'turn.spoken' && role === 'assistant')
      .map((fact) => [fact.data['turn'], latencyIn(fact)]),
  );
  const named = journalledChartNames.filter((name) => transitions.some(({ machine }) => machine === name));
  return {
    format: callFileFormat,
    version: callFileVersion,
    exportedAt: new Date(clock.now()),
    masked: choice.masked,
    call: presentWorkspaceCall(call),
    facts: journal.slice(0, most.facts).map((event) => presentEvent(event, choice.timeZone)),
    transitions: transitions
      .slice(0, most.transitions)
      .map(({ at, machine, chartVersion, stateBefore, eventType, stateAfter, factsBefore }) => ({
        at,
        chart: machine,
        chartVersion,
        from: stateBefore,
        event: eventType,
        to: stateAfter,
        factsBefore,
      })),
    charts: named.map((name) => {
      const { version, ...definition }: Record<string, unknown> = JSON.parse(chartDefinitions(name));
      return { name, version: String(version), definition };
    }),
    steps: steps.slice(0, most.steps),
    turns: turns.slice(0, most.turns).map((turn) => ({
      ...turn,
      timestamp: turn.spokenAt,
      latency: latencies.get(turn.sequence) ?? null,
    })),
    sip: presentLadder(call, messages, services),
    truncated: lists.filter((name) => lengths[name] > most[name]),
    audioLeftOut: choice.audioLeftOut,
  };
};
