/**
 * The simulated telephone network, whose lines behave like a telephone (guides/design/start.md, "The simulated line").
 * The dialled number determines the answerer; `placeInbound` creates callers.
 */
import { randomUUID } from 'node:crypto';
import type { Line, LineEvent, LineInput } from '#machines/line.ts';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { ArrivalVerdict } from '#src/domain/arrival.ts';
import type { HeardBefore } from '#src/domain/sip-leg.ts';
import type { CalleeBehaviour } from '#src/domain/simulated-callee.ts';
import type { SimulatedFarEnd } from '#src/domain/simulated-far-end.ts';
import type { SipHeaders } from '#src/domain/sip-headers.ts';
import type { MediaMeans } from '#sip/audio/call-media.ts';
import { createLineTime } from '#sip/audio/line-time.ts';
import { noFarEnds, resumeNothing, type Lines, type OnArrival } from '../lines.ts';
import type { AnsweringNumbers } from '#sip/audio/listening/answering-machine.ts';
import {
  callerOf,
  createCallees,
  knownPerson,
  knownBehaviours,
  scripted,
  unreachable,
  type CalleesOptions,
  type Reached,
  type ScriptWorld,
} from './callees.ts';
import { createCallers, type SimulatedCaller } from './callers.ts';
import { behaving, lookedUp, type CreateParty } from './party.ts';
import { createRecorder, type RecorderOptions } from './simulated-recorder.ts';
import type { Script } from './script.ts';
import { createRehearsals, nobodyElse, type Rehearsal, type Rehearsals } from './script-watch.ts';
import { createCarriedVoices } from './carried-voices.ts';
import { outlivesGateway } from './transferring.ts';
import {
  createSimulatedLine,
  type FarEnd,
  type SimulatedLine,
  type SimulatedLineOptions,
} from './simulated-line.ts';

export type SimulatorLinesOptions = RecorderOptions &
  CalleesOptions & {
    /** Clock for all timers of the lines. */
    clock: Clock;
    /** Speed of the timers of `clock` relative to the wall clock. */
    speed: number;
    /** Creates the media dependencies for a far end that answers with audio; `false` if calls carry words only. */
    mediaFor: ((input: LineInput) => MediaMeans) | false;
    /** Thresholds of answering-machine detection. */
    answering: AnsweringNumbers;
    /** Called when the far end of a call has changed, which `checkpoint` returns. */
    onCheckpoint?: (callId: string) => void;
    /** Maximum time for which `close` waits for unfinished recordings, in wall-clock milliseconds. */
    closeWithinMs?: number;
  };

export type InboundCall = {
  /** Called number in domestic format. */
  to: string;
  /** Caller number: domestic, `+…` from abroad, or `anonymous`. */
  from: string;
  /**
   * Script of the caller; `null` for a polite caller with a question. The script must be one that `parseScript`
   * accepted for a caller.
   */
  script: Script | null;
  /** Settings of a rehearsal, which watches the script. */
  rehearsal?: Rehearsal | undefined;
  /** Creates the caller if the caller plays no script. */
  partyFor?: ((input: LineInput) => CreateParty) | undefined;
  /** Headers of the INVITE that the trunk accepts. */
  sipHeaders?: SipHeaders | null;
  /** Language of the caller (BCP 47); if absent, the language of the call. */
  language?: string | undefined;
  /** Agent of this call in a rehearsal; if absent, the agent of the number. */
  agent?: AgentBinding | undefined;
};

export type SimulatorLines = Lines & {
  /** Places an inbound call. Resolves to the admission decision; rejects when no decision was possible. */
  placeInbound(call: InboundCall): Promise<{ callId: string; verdict: ArrivalVerdict }>;
  /** Returns the progress of the script of a current or recent rehearsal. */
  scriptProgress: Rehearsals['find'];
  /** The callees that every gateway knows, by their numbers. */
  knownCallees: ReadonlyMap<string, CalleeBehaviour>;
};

type State = { is: 'new' } | { is: 'open'; onArrival: OnArrival } | { is: 'closed' };

type Calling = Pick<InboundCall, 'script' | 'rehearsal' | 'language' | 'partyFor'> & { callId: string };

const callerBy = (
  { callId, script, rehearsal, language, partyFor }: Calling,
  playing: ScriptWorld,
): SimulatedCaller => {
  const people = rehearsal?.people ?? nobodyElse;
  if (partyFor !== undefined) return { who: 'person', partyFor, language, people };
  if (script === null) return { who: 'known', partyFor: () => behaving(callerOf(null)), language, people };
  const createParty = scripted(callId, { script, rehearsal }, playing, callerOf);
  return { who: 'scripted', partyFor: () => createParty, language, people };
};

/** Whether this connected person of a transfer is known here: one of the script's, or one that every gateway knows. */
const isKnown = (to: string, farEnd: SimulatedFarEnd | null): boolean => {
  const people = (farEnd?.is === 'script' && farEnd.rehearsal?.people) || {};
  return Object.hasOwn(people, to) ? people[to] === 'accepts' : outlivesGateway(to);
};

/** Opens a line and keeps it in `lines` until it is over. */
const createOpenLine =
  ({
    clock,
    speed,
    mediaFor,
    logger,
    recorder,
    lines,
    onCheckpoint,
  }: Pick<SimulatorLinesOptions, 'clock' | 'speed' | 'mediaFor' | 'logger'> & {
    onCheckpoint: (callId: string) => void;
    recorder: ReturnType<typeof createRecorder>;
    lines: Map<string, SimulatedLine>;
  }) =>
  (
    input: LineInput,
    emit: (event: LineEvent) => void,
    { createParty, language }: Pick<Reached, 'createParty' | 'language'>,
    {
      before,
      ...how
    }: Pick<SimulatedLineOptions, 'parent' | 'isAdopted' | 'connectedWith' | 'farEnd'> & {
      /** Words of a call that was taken over. */
      before: HeardBefore | null;
    },
  ): Line => {
    const time = createLineTime(clock, speed);
    const line = createSimulatedLine({
      ...how,
      input: { ...input, language },
      emit,
      time,
      createParty,
      record: () => recorder.record(input, time, before),
      // Lines that run faster than real time carry no audio, because carried audio cannot be sped up.
      carry:
        mediaFor === false || speed !== 1
          ? null
          : createCarriedVoices(() => mediaFor(input), logger.child({ call_id: input.callId })),
      onAnswered: () => onCheckpoint(input.callId),
      onOver() {
        if (lines.get(input.callId) === line) lines.delete(input.callId);
      },
    });
    lines.set(input.callId, line);
    return line;
  };

export const createSimulatorLines = (options: SimulatorLinesOptions): SimulatorLines => {
  const { clock, speed, logger, playPersona = null, onCheckpoint = () => {} } = options;
  /** Time of the network itself, which does not belong to a line. */
  const time = createLineTime(clock, speed);
  const recorder = createRecorder(options);
  const rehearsals = createRehearsals();
  const callees = createCallees({ ...options, onCheckpoint, rehearsals, logger });
  const callers = createCallers({ time, speed, logger });
  const lines = new Map<string, SimulatedLine>();
  let state: State = { is: 'new' };

  /** Returns the party at the far end of this call. */
  const reachedBy = (input: LineInput): Reached | Promise<Reached> => {
    const { callId, direction, language } = input;
    if (state.is === 'closed') return knownPerson(unreachable('trunk_error'), language);
    if (direction === 'outbound') return callees.reachedBy(input);
    const caller = callers.take(callId);
    if (caller === undefined) return knownPerson(unreachable('media_error'), language);
    const { partyFor, who, people } = caller;
    return { createParty: partyFor(input), language: caller.language ?? language, who, people };
  };

  const openLine = createOpenLine({ ...options, onCheckpoint, recorder, lines });

  /** Opens a line to a party that may still have to be looked up. */
  const openTo = (
    reached: Reached | Promise<Reached>,
    farEndOf: (found: Reached) => FarEnd,
    { input, emit }: { input: LineInput; emit: (event: LineEvent) => void },
    how: Omit<Parameters<typeof openLine>[3], 'farEnd'>,
  ): Line => {
    if (!(reached instanceof Promise))
      return openLine(input, emit, reached, { ...how, farEnd: () => farEndOf(reached) });
    let farEnd: FarEnd = { people: nobodyElse, outlives: false, answering: null };
    const finding = reached.then((found) => {
      farEnd = farEndOf(found);
      return found.createParty;
    });
    const { language } = input;
    return openLine(
      input,
      emit,
      { createParty: lookedUp(finding), language },
      { ...how, farEnd: () => farEnd },
    );
  };

  return {
    name: 'simulator',
    async start(onArrival) {
      state = { is: 'open', onArrival };
    },
    open(input, emit, parent) {
      const farEndOf = ({ who, people }: Reached): FarEnd => {
        const whoAnswers = who === 'person' ? 'human' : options.answering;
        return {
          people,
          outlives: who === 'known',
          answering: input.direction === 'outbound' ? whoAnswers : null,
        };
      };
      const how = { isAdopted: false, before: null, parent, connectedWith: null };
      return openTo(reachedBy(input), farEndOf, { input, emit }, how);
    },
    // The far ends have no legs to store.
    checkpoint: (callId) => lines.get(callId)?.checkpoint() ?? noFarEnds,
    resume(input, state, emit, parent) {
      const { connectedWith, heard: before } = state;
      const standing = callees.standingAt(input, state.farEnd);
      if (standing === undefined || (connectedWith !== null && !isKnown(connectedWith.to, state.farEnd))) {
        // The far end was lost with its gateway; what it had said was not.
        if (before !== null) recorder.record(input, time, before)?.finish();
        return resumeNothing(() => clock.now())(input, state, emit);
      }
      const farEndOf = ({ who, people }: Reached): FarEnd => ({
        people,
        outlives: who === 'known',
        answering: null,
      });
      const how = { isAdopted: true, before, parent, connectedWith };
      return openTo(standing, farEndOf, { input, emit }, how);
    },
    async placeInbound({ to, from, script, rehearsal, sipHeaders, language, partyFor, agent }) {
      if (state.is !== 'open') throw new Error('The simulated lines take no calls now');
      const callId = randomUUID();
      callers.add(
        callId,
        callerBy(
          { callId, script, rehearsal, language, partyFor },
          { rehearsals, onCheckpoint, playPersona },
        ),
      );
      try {
        const arrival = { callId, from, to, at: clock.now(), ...(agent === undefined ? {} : { agent }) };
        const verdict = await state.onArrival(sipHeaders ? { ...arrival, sipHeaders } : arrival);
        if (verdict.accepted) callers.letIn(callId);
        else callers.remove(callId);
        return { callId, verdict };
      } catch (error) {
        callers.remove(callId);
        throw error;
      }
    },
    scriptProgress: rehearsals.find,
    knownCallees: knownBehaviours,
    health: () =>
      state.is === 'open' ? { ready: true } : { ready: false, detail: 'The simulated lines are not open.' },
    takeNoMore: () => Promise.resolve(),
    async close() {
      state = { is: 'closed' };
      time.stop();
      callers.clear();
      for (const line of lines.values()) line.close();
      await recorder.close((options.closeWithinMs ?? 20_000) * speed);
    },
  };
};
