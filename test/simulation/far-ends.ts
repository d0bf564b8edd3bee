/**
 * The simulated telephone network as seen from outside of all gateways: existing calls, and the gateways that have a
 * line for each. The lines are the simulator's; their events may be delayed.
 */
import type { Line, LineCommand, LineEvent, LineInput } from '#machines/line.ts';
import type { Lines } from '#sip/lines.ts';
import type { Effects } from './effects.ts';
import type { Random } from './random.ts';
import type { SimulatedProcess, SimulatedTime } from './simulated-time.ts';

export type FarEnds = {
  effects: Effects;
  time: SimulatedTime;
  random: Random;
  /** Maximum delay of a line's events, in milliseconds. */
  latestMs: number;
  /** Existing lines by call; a dead process has none. */
  standing: Map<string, Set<SimulatedProcess>>;
  /** Lines with a ringing or connected transfer target, with the time when ringing began; `null` after the answer. */
  legs: Map<string, Map<SimulatedProcess, number | null>>;
  /** Ringing times of persons who did not answer, in milliseconds, by call. */
  rung: Map<string, number[]>;
  /** A deliberate defect: lines ignore these commands. */
  deafTo: readonly LineCommand['type'][];
  /** Times when calls were answered and when their lines ended, in simulated time. */
  talked: Map<string, { answeredAt: number; over: number[] }>;
};

const names: Partial<Record<LineCommand['type'], string>> = { hangUp: 'BYE', say: 'say' };

const watched = (
  input: LineInput,
  emit: (event: LineEvent) => void,
  begin: (emit: (event: LineEvent) => void) => Line,
  what: 'INVITE' | 'adoption',
  /** Whether a person already talks with the other party. */
  hasSecondLeg: boolean,
  { farEnds, process }: { farEnds: FarEnds; process: SimulatedProcess },
): Line => {
  const { effects, time, random, standing, legs, rung, talked } = farEnds;
  const { callId } = input;
  let isSilent = false;
  let dueFrom = 0;
  const release = (): void => {
    const since = legs.get(callId)?.get(process) ?? null;
    legs.get(callId)?.delete(process);
    if (since !== null) rung.set(callId, [...(rung.get(callId) ?? []), time.now() - since]);
  };
  const hold = (since: number | null): void =>
    void legs.set(callId, (legs.get(callId) ?? new Map()).set(process, since));
  const over = (): void => {
    release();
    if (standing.get(callId)?.delete(process)) talked.get(callId)?.over.push(time.now());
  };
  // In order, like messages of one dialog.
  const later = (event: LineEvent): void => {
    if (event.type === 'line.answered') talked.set(callId, { answeredAt: time.now(), over: [] });
    if (event.type === 'line.transfer_failed') release();
    if (event.type === 'line.transfer_answered' || event.type === 'line.transferred') hold(null);
    if (event.type === 'line.ended' || event.type === 'line.unanswered') over();
    dueFrom = Math.max(time.now() + random.below(farEnds.latestMs + 1), dueFrom);
    time.after(dueFrom - time.now(), () => {
      if (!isSilent) emit(event);
    });
  };
  const silent: Line = { tell() {}, close() {}, release() {}, canBeResumed: () => false };
  if (effects.happens(process, `before ${what}`)) return silent;
  const line = begin(later);
  const holders = standing.get(callId) ?? new Set();
  standing.set(callId, holders.add(process));
  if (hasSecondLeg) hold(null);
  if (effects.happens(process, `after ${what}`)) return silent;
  return {
    tell(command) {
      if (farEnds.deafTo.includes(command.type)) return undefined;
      const name = names[command.type];
      if (command.type === 'transfer') hold(time.now());
      if (name === undefined) return line.tell(command);
      if (effects.happens(process, `before ${name}`)) return undefined;
      line.tell(command);
      effects.happens(process, `after ${name}`);
      return undefined;
    },
    close() {
      isSilent = true;
      over();
      if (process.isAlive) line.close();
    },
    release() {
      isSilent = true;
      standing.get(callId)?.delete(process);
      release();
      if (process.isAlive) line.release();
    },
    canBeResumed: line.canBeResumed,
  };
};

export const withFarEnds = (lines: Lines, parts: { farEnds: FarEnds; process: SimulatedProcess }): Lines => ({
  ...lines,
  open: (input, emit) => watched(input, emit, (tell) => lines.open(input, tell), 'INVITE', false, parts),
  resume: (input, left, emit) =>
    watched(
      input,
      emit,
      (tell) => lines.resume(input, left, tell),
      'adoption',
      left.connectedWith !== null,
      parts,
    ),
});
