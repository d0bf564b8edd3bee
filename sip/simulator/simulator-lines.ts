/**
 * The simulated telephone network: lines that behave like a telephone (guides/design/start.md, "The simulated line").
 * The dialled number determines the answerer; `placeInbound` creates callers.
 */
import { randomUUID } from 'node:crypto';
import type { Line, LineEvent, LineInput } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { ArrivalVerdict } from '#src/domain/arrival.ts';
import type { SipHeaders } from '#src/domain/sip-headers.ts';
import type { MediaMeans } from '#sip/audio/call-media.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import { resumeNothing, type Lines, type OnArrival } from '../lines.ts';
import type { AnsweringNumbers } from '#sip/audio/listening/answering-machine.ts';
import {
  callerOf,
  createCallees,
  rehearsing,
  knownPerson,
  unreachable,
  type Callees,
  type CalleesOptions,
  type Reached,
} from './callees.ts';
import { createCallers, type SimulatedCaller } from './callers.ts';
import { behaving, type CreateParty } from './party.ts';
import { createRecorder, type RecorderOptions } from './simulated-recorder.ts';
import type { Script } from './script.ts';
import { createRehearsals, nobodyElse, type Rehearsal, type Rehearsals } from './script-watch.ts';
import { createCarriedVoices } from './carried-voices.ts';
import { outlivesGateway } from './transferring.ts';
import { createSimulatedLine, type SimulatedLineOptions } from './simulated-line.ts';

export type SimulatorLinesOptions = RecorderOptions &
  CalleesOptions & {
    /** Clock for all timers of the lines. */
    clock: Clock;
    /** Speed of the timers of `clock` relative to the wall clock. */
    speed: number;
    /** Media means for a far end that answers with audio; `false`: calls carry words only. */
    mediaFor: ((input: LineInput) => MediaMeans) | false;
    /** Thresholds of answering-machine detection. */
    answering: AnsweringNumbers;
    /** Maximum time that closing waits for unfinished recordings, in wall-clock milliseconds. */
    closeWithinMs?: number;
  };

export type InboundCall = {
  /** Domestic format. */
  to: string;
  /** Domestic format, `+…` from abroad, or `anonymous`. */
  from: string;
  /** `null`: a polite caller with a question. `parseScript` must have checked it for a caller. */
  script: Script | null;
  /** Watches the script. */
  rehearsal?: Rehearsal | undefined;
  /** Creates the caller if it does not play a script. */
  partyFor?: ((input: LineInput) => CreateParty) | undefined;
  /** Accepted headers of the INVITE. */
  sipHeaders?: SipHeaders | null;
  /** Language of the caller (BCP 47); without it, the language of the call. */
  language?: string | undefined;
};

export type SimulatorLines = Lines & {
  /** Places a call. Resolves with the admission decision; rejects when there could be no decision. */
  placeInbound(call: InboundCall): Promise<{ callId: string; verdict: ArrivalVerdict }>;
  defineCallee: Callees['define'];
  calleeScript: Callees['scriptOf'];
  /** Progress of a call's script that is being rehearsed, or was lately. */
  scriptProgress: Rehearsals['find'];
};

type State = { is: 'new' } | { is: 'open'; onArrival: OnArrival } | { is: 'closed' };

type Calling = Pick<InboundCall, 'script' | 'rehearsal' | 'language' | 'partyFor'> & { callId: string };

const callerBy = (
  { callId, script, rehearsal, language, partyFor }: Calling,
  rehearsals: Rehearsals,
): SimulatedCaller => {
  const people = rehearsal?.people ?? nobodyElse;
  if (partyFor !== undefined) return { who: 'person', partyFor, language, people };
  if (script === null) return { who: 'known', partyFor: () => behaving(callerOf(null)), language, people };
  const createParty =
    rehearsal === undefined
      ? behaving(callerOf(script))
      : rehearsing({ callId, script, rehearsal }, rehearsals, callerOf);
  return { who: 'scripted', partyFor: () => createParty, language, people };
};

/** Opens a line, which is among `lines` while it exists. */
const createOpenLine =
  ({
    clock,
    speed,
    mediaFor,
    logger,
    recorder,
    lines,
  }: Pick<SimulatorLinesOptions, 'clock' | 'speed' | 'mediaFor' | 'logger'> & {
    recorder: ReturnType<typeof createRecorder>;
    lines: Set<Line>;
  }) =>
  (
    input: LineInput,
    emit: (event: LineEvent) => void,
    { createParty, language, people }: Reached,
    how: Pick<SimulatedLineOptions, 'parent' | 'isAdopted' | 'connectedWith' | 'answering' | 'outlives'>,
  ): Line => {
    const time = createLineTime(clock, speed);
    const line = createSimulatedLine({
      ...how,
      input: { ...input, language },
      emit,
      time,
      createParty,
      people,
      record: () => recorder.record(input, time),
      // Carried audio cannot be sped up.
      carry:
        mediaFor === false || speed !== 1
          ? null
          : createCarriedVoices(() => mediaFor(input), logger.child({ call_id: input.callId })),
      onOver: () => lines.delete(line),
    });
    lines.add(line);
    return line;
  };

export const createSimulatorLines = (options: SimulatorLinesOptions): SimulatorLines => {
  const { clock, speed, logger } = options;
  /** Time of the network itself, beyond single lines. */
  const time = createLineTime(clock, speed);
  const recorder = createRecorder(options);
  const rehearsals = createRehearsals();
  const callees = createCallees({ ...options, rehearsals });
  const callers = createCallers({ time, speed, logger });
  const lines = new Set<Line>();
  let state: State = { is: 'new' };

  /** Returns the party at the far end of this call. */
  const reachedBy = (input: LineInput): Reached => {
    const { callId, direction, language } = input;
    if (state.is === 'closed') return knownPerson(unreachable('trunk_error'), language);
    if (direction === 'outbound') return callees.reachedBy(input);
    const caller = callers.take(callId);
    if (caller === undefined) return knownPerson(unreachable('media_error'), language);
    const { partyFor, who, people } = caller;
    return { createParty: partyFor(input), language: caller.language ?? language, who, people };
  };

  const openLine = createOpenLine({ ...options, recorder, lines });

  return {
    name: 'simulator',
    async start(onArrival) {
      state = { is: 'open', onArrival };
    },
    open(input, emit, parent) {
      const reached = reachedBy(input);
      const whoAnswers = reached.who === 'person' ? 'human' : options.answering;
      return openLine(input, emit, reached, {
        isAdopted: false,
        parent,
        connectedWith: null,
        outlives: reached.who === 'known',
        answering: input.direction === 'outbound' ? whoAnswers : null,
      });
    },
    resume(input, left, emit, parent) {
      const { connectedWith } = left;
      const standing = callees.standingAt(input);
      if (standing === undefined || (connectedWith !== null && !outlivesGateway(connectedWith.to)))
        return resumeNothing(() => clock.now())(input, left, emit);
      const how = { isAdopted: true, parent, connectedWith, outlives: true, answering: null };
      return openLine(input, emit, standing, how);
    },
    async placeInbound({ to, from, script, rehearsal, sipHeaders, language, partyFor }) {
      if (state.is !== 'open') throw new Error('The simulated lines take no calls now');
      const callId = randomUUID();
      callers.add(callId, callerBy({ callId, script, rehearsal, language, partyFor }, rehearsals));
      try {
        const arrival = { callId, from, to, at: clock.now() };
        const verdict = await state.onArrival(sipHeaders ? { ...arrival, sipHeaders } : arrival);
        if (verdict.accepted) callers.letIn(callId);
        else callers.remove(callId);
        return { callId, verdict };
      } catch (error) {
        callers.remove(callId);
        throw error;
      }
    },
    defineCallee: callees.define,
    calleeScript: callees.scriptOf,
    scriptProgress: rehearsals.find,
    health: () =>
      state.is === 'open' ? { ready: true } : { ready: false, detail: 'The simulated lines are not open.' },
    takeNoMore: () => Promise.resolve(),
    async close() {
      state = { is: 'closed' };
      time.stop();
      callers.clear();
      for (const line of lines) line.close();
      await recorder.close((options.closeWithinMs ?? 20_000) * speed);
    },
  };
};
