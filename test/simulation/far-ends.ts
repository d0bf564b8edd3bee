/**
 * The simulated telephone network as seen from outside of all gateways: existing calls, and the gateways that have a
 * line for each. The lines are the simulator's; their events may be delayed.
 */
import type { Line, LineCommand, LineEvent, LineInput } from '#machines/line.ts';
import type { Lines } from '#sip/lines.ts';
import type { Effects } from './effects.ts';
import type { Random } from './random.ts';
import type { SilenceWatch } from './silence-watch.ts';
import type { SimulatedProcess, SimulatedTime } from './simulated-time.ts';

/** The transfer target of a line, from the first ring to the release. Times are simulated ones. */
type Leg = {
  /** Begin of ringing; `null` after the answer. */
  rungSince: number | null;
  /** Command to release the person, unless both persons are already connected; `null` without one. */
  cancelledAt: number | null;
};

export type FarEnds = {
  effects: Effects;
  silence: SilenceWatch;
  time: SimulatedTime;
  random: Random;
  /** Maximum delay of a line's events, in milliseconds. */
  latestMs: number;
  /** Interval in which the events of all lines of a process arrive together; `null`: each arrives alone. */
  burstMs: number | null;
  /** Events that arrive together, by process and time. */
  bursts: Map<SimulatedProcess, Map<number, (() => void)[]>>;
  /** Existing lines by call; a dead process has none. */
  standing: Map<string, Set<SimulatedProcess>>;
  /** Lines with a ringing or connected transfer target. */
  legs: Map<string, Map<SimulatedProcess, Leg>>;
  /** Ringing times of persons who did not answer, in milliseconds, by call. */
  rung: Map<string, number[]>;
  /** Times from a cancellation to the release of the person, in milliseconds, by call. */
  cancelled: Map<string, number[]>;
  /** A deliberate defect: lines ignore these commands. */
  deafTo: readonly LineCommand['type'][];
  /** Words of the other parties that gateways have heard, by call. */
  heard: Map<string, string[]>;
  /** Times when calls were answered and when their lines ended, in simulated time. */
  talked: Map<string, { answeredAt: number; over: number[] }>;
};

const names: Partial<Record<LineCommand['type'], string>> = { hangUp: 'BYE', say: 'say' };

/** Events that are due at the same time are separate, unless lines report in bursts. */
const arriveTogether = (
  { time, burstMs, bursts }: FarEnds,
  process: SimulatedProcess,
  due: number,
  work: () => void,
): void => {
  const waitMs = due - time.now();
  if (burstMs === null) return void time.after(waitMs, work);
  const ofProcess = bursts.get(process) ?? new Map<number, (() => void)[]>();
  bursts.set(process, ofProcess);
  const together = ofProcess.get(due);
  if (together !== undefined) return void together.push(work);
  const works = [work];
  ofProcess.set(due, works);
  time.after(waitMs, () => {
    ofProcess.delete(due);
    for (const one of works) one();
  });
  return undefined;
};

const watched = (
  input: LineInput,
  emit: (event: LineEvent) => void,
  begin: (emit: (event: LineEvent) => void) => Line,
  what: 'INVITE' | 'adoption',
  /** Whether a person already talks with the other party. */
  hasSecondLeg: boolean,
  { farEnds, process }: { farEnds: FarEnds; process: SimulatedProcess },
): Line => {
  const { effects, silence, time, random, standing, legs, rung, cancelled, heard, talked } = farEnds;
  const { callId } = input;
  let isSilent = false;
  let dueFrom = 0;
  const legNow = (): Leg | undefined => legs.get(callId)?.get(process);
  const note = (times: Map<string, number[]>, since: number | null): void => {
    if (since !== null) times.set(callId, [...(times.get(callId) ?? []), time.now() - since]);
  };
  const release = (): void => {
    const { rungSince, cancelledAt } = legNow() ?? { rungSince: null, cancelledAt: null };
    legs.get(callId)?.delete(process);
    note(rung, rungSince);
    note(cancelled, cancelledAt);
  };
  const hold = (leg: Leg): void =>
    void legs.set(callId, (legs.get(callId) ?? new Map<SimulatedProcess, Leg>()).set(process, leg));
  let isConnected = hasSecondLeg;
  const over = (): void => {
    release();
    if (standing.get(callId)?.delete(process)) talked.get(callId)?.over.push(time.now());
  };
  // In order, like messages of one dialog.
  const later = (event: LineEvent): void => {
    if (event.type === 'line.answered') talked.set(callId, { answeredAt: time.now(), over: [] });
    if (event.type === 'line.transfer_failed') release();
    if (event.type === 'line.transfer_answered')
      hold({ rungSince: null, cancelledAt: legNow()?.cancelledAt ?? null });
    if (event.type === 'line.transferred') {
      isConnected = true;
      hold({ rungSince: null, cancelledAt: null });
    }
    if (event.type === 'line.ended' || event.type === 'line.unanswered') over();
    dueFrom = Math.max(time.now() + random.below(farEnds.latestMs + 1), dueFrom);
    if (farEnds.burstMs !== null) dueFrom = Math.ceil(dueFrom / farEnds.burstMs) * farEnds.burstMs;
    arriveTogether(farEnds, process, dueFrom, () => {
      if (isSilent) return;
      if (event.type === 'line.heard') heard.set(callId, [...(heard.get(callId) ?? []), event.text]);
      silence.reported(process, callId, event);
      emit(event);
    });
  };
  const silent: Line = { tell() {}, close() {}, release() {} };
  if (effects.happens(process, `before ${what}`)) return silent;
  const line = begin(later);
  const holders = standing.get(callId) ?? new Set();
  standing.set(callId, holders.add(process));
  if (hasSecondLeg) hold({ rungSince: null, cancelledAt: null });
  if (effects.happens(process, `after ${what}`)) return silent;
  return {
    tell(command) {
      const leg = legNow();
      if (command.type === 'cancelTransfer' && leg !== undefined && !isConnected)
        hold({ ...leg, cancelledAt: leg.cancelledAt ?? time.now() });
      if (farEnds.deafTo.includes(command.type)) return undefined;
      const name = names[command.type];
      if (command.type === 'transfer') hold({ rungSince: time.now(), cancelledAt: null });
      if (name !== undefined && effects.happens(process, `before ${name}`)) return undefined;
      silence.commanded(process, callId, command);
      line.tell(command);
      if (name !== undefined) effects.happens(process, `after ${name}`);
      return undefined;
    },
    close() {
      isSilent = true;
      silence.over(process, callId);
      over();
      if (process.isAlive) line.close();
    },
    release(audioUntil) {
      isSilent = true;
      silence.over(process, callId);
      standing.get(callId)?.delete(process);
      release();
      if (process.isAlive) line.release(audioUntil);
    },
  };
};

export const withFarEnds = (lines: Lines, parts: { farEnds: FarEnds; process: SimulatedProcess }): Lines => ({
  ...lines,
  open: (input, emit) => watched(input, emit, (tell) => lines.open(input, tell), 'INVITE', false, parts),
  resume: (input, state, emit) =>
    watched(
      input,
      emit,
      (tell) => lines.resume(input, state, tell),
      'adoption',
      state.connectedWith !== null,
      parts,
    ),
});
