/**
 * The simulated telephone network: lines that behave as on a telephone, without a telephone (guides/design/start.md,
 * "The simulated line"). Who answers is decided by the number that is dialled; callers are made by `placeInbound`.
 */
import { randomUUID } from 'node:crypto';
import type { Line, LineInput } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { ArrivalVerdict } from '#src/domain/arrival.ts';
import type { Lines, OnArrival } from '../lines.ts';
import { callerOf, knownCallees, unreachable, unknownCallee } from './callees.ts';
import { createLineTime } from '../line-time.ts';
import { behaving, type CreateParty } from './party.ts';
import { calleeOf } from './play-script.ts';
import { createRecorder, type RecorderOptions } from './recorder.ts';
import type { AnsweringNumbers } from '../listening/answering-machine.ts';
import type { Script } from './script.ts';
import { createSimulatedLine } from './simulated-line.ts';

/**
 * A caller that was let in and is not answered within this time goes away. It is of the wall clock: the gateway is waited
 * for, whose work is not simulated.
 */
const callerPatienceMs = 10_000;

export type SimulatorLinesOptions = RecorderOptions & {
  /** All timers of the lines run on it. */
  clock: Clock;
  /** How many times faster than the wall clock the timers of `clock` run. */
  speed: number;
  /** How it is found out whether a machine has picked up. */
  answering: AnsweringNumbers;
  /** Whose call this is; without it, all calls are one workspace's. */
  workspaceOf?: (callId: string) => string | undefined;
  /** Who is reached by a number that nobody gave a script; without it, nobody is at home. */
  anybody?: (input: LineInput) => CreateParty;
  /** How long closing waits for recordings that are not done, in milliseconds of the wall clock. */
  closeWithinMs?: number;
};

export type InboundCall = {
  /** Domestic format. */
  to: string;
  /** Domestic format, `+…` from abroad, or `anonymous`. */
  from: string;
  /** `null`: a polite caller with a question. Checked by `parseScript` for a caller. */
  script: Script | null;
  /** Who calls, when it is somebody who plays no script. */
  partyFor?: (input: LineInput) => CreateParty;
  /** BCP 47, what the caller speaks; without it, the language of the call. */
  language?: string;
};

export type SimulatorLines = Lines & {
  /** Somebody calls. Resolves when it is decided whether they are let in; rejects when that could not be decided. */
  placeInbound(call: InboundCall): Promise<{ callId: string; verdict: ArrivalVerdict }>;
  /**
   * How the telephone with this number behaves from now on, for calls of this workspace. Checked by `parseScript` for a
   * callee.
   */
  defineCallee(number: string, script: Script, workspaceId?: string): void;
  /** How it was told to behave. */
  calleeScript(number: string, workspaceId?: string): Script | undefined;
};

type Caller = { partyFor: (input: LineInput) => CreateParty; language: string | undefined };

type Reached = { createParty: CreateParty; language: string | undefined; isPerson?: boolean };

/** Callees are known by workspace and number. */
const keyOf = (number: string, workspaceId = ''): string => `${workspaceId} ${number}`;

/** Who has the number that is dialled: by its script, by what the number is known for, or whoever it may be. */
const calleeOfNumber = (
  input: LineInput,
  script: Script | undefined,
  anybody: SimulatorLinesOptions['anybody'],
): Reached => {
  const { to, language } = input;
  const behaviour = script === undefined ? knownCallees.get(to) : calleeOf(script);
  if (behaviour !== undefined) return { createParty: behaving(behaviour), language };
  if (anybody === undefined) return { createParty: behaving(unknownCallee), language };
  return { createParty: anybody(input), language, isPerson: true };
};

export const createSimulatorLines = (options: SimulatorLinesOptions): SimulatorLines => {
  const { clock, speed, logger } = options;
  const recorder = createRecorder(options);
  const lines = new Set<Line>();
  const callers = new Map<string, Caller>();
  const callees = new Map<string, Script>();
  /** Of the network itself, beyond single lines. */
  const time = createLineTime(clock, speed);
  let onArrival: OnArrival | null = null;
  let isClosed = false;

  const forget = (callId: string): void => {
    if (callers.delete(callId))
      logger.info({ call_id: callId }, 'a simulated caller was let in but never answered');
  };

  /** Whose telephone this call reaches. */
  const reachedBy = (input: LineInput): Reached => {
    const { callId, direction, to, language } = input;
    if (isClosed) return { createParty: behaving(unreachable('trunk_error')), language };
    if (direction === 'outbound')
      return calleeOfNumber(input, callees.get(keyOf(to, options.workspaceOf?.(callId))), options.anybody);
    const caller = callers.get(callId);
    callers.delete(callId);
    return caller === undefined
      ? { createParty: behaving(unreachable('media_error')), language }
      : { createParty: caller.partyFor(input), language: caller.language };
  };

  return {
    name: 'simulator',
    async start(offer) {
      onArrival = offer;
    },
    open(input, emit) {
      const lineTime = createLineTime(clock, speed);
      const { createParty, language, isPerson } = reachedBy(input);
      const whoAnswers = isPerson === true ? 'human' : options.answering;
      const line = createSimulatedLine({
        input: { ...input, language: language ?? input.language },
        emit,
        time: lineTime,
        answering: input.direction === 'outbound' ? whoAnswers : null,
        createParty,
        record: () => recorder.record(input, lineTime),
        onOver: () => lines.delete(line),
      });
      lines.add(line);
      return line;
    },
    async placeInbound({ to, from, script, language, partyFor = () => behaving(callerOf(script)) }) {
      if (onArrival === null || isClosed) throw new Error('The simulated lines take no calls now');
      const callId = randomUUID();
      callers.set(callId, { partyFor, language });
      try {
        const verdict = await onArrival({ callId, from, to, at: clock.now() });
        if (!verdict.accepted) callers.delete(callId);
        else if (callers.has(callId)) time.after(callerPatienceMs * speed, () => forget(callId));
        return { callId, verdict };
      } catch (error) {
        callers.delete(callId);
        throw error;
      }
    },
    defineCallee(number, script, workspaceId) {
      callees.set(keyOf(number, workspaceId), script);
    },
    calleeScript: (number, workspaceId) => callees.get(keyOf(number, workspaceId)),
    health() {
      if (onArrival !== null && !isClosed) return { ready: true };
      return { ready: false, detail: 'The simulated lines are not open.' };
    },
    async close() {
      isClosed = true;
      time.stop();
      callers.clear();
      for (const line of lines) line.close();
      await recorder.close((options.closeWithinMs ?? 20_000) * speed);
    },
  };
};
