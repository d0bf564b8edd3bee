/** A watched script of a rehearsal: its progress, and a time limit for every step. */
import type { PersonaResult } from '#src/domain/persona.ts';
import type { ScriptProgress, ScriptRehearsal } from '#src/domain/simulated-callee.ts';
import { isPattern, type ReadPattern, type SaidPattern } from '#src/domain/said-pattern.ts';
import type { LineTime } from '#sip/audio/line-time.ts';
import type { Ears } from './ears.ts';
import type { Course, Phone } from './party.ts';
import type { Script, ScriptStep } from './script.ts';
import type { Person } from './transferring.ts';

export type ScriptWatch = {
  stepTimeoutMs: number;
  /** Starts the time limit of a step. */
  limit(): { isOver(): boolean; cancel(): void };
  patternOf(source: string): SaidPattern | undefined;
  /** Sets the number of completed steps. */
  done(count: number): void;
  /** The person has done everything in the script. */
  isDone(): void;
  timedOut(): void;
  personaEnded(result: PersonaResult): void;
};

/** A watched script of a rehearsal. */
export type Rehearsal = {
  /** The settings of the rehearsal, from which another process creates it again. */
  settings: ScriptRehearsal;
  stepTimeoutMs: number;
  readPattern: ReadPattern;
  /** Transfer targets of the call, by number. */
  people: ReadonlyMap<string, Person>;
};

export const nobodyElse: ReadonlyMap<string, Person> = new Map();

/** Watches a script. `progress` is updated; `notice` makes the person check its wait condition. */
export const watchScript = (
  { stepTimeoutMs, readPattern }: Pick<Rehearsal, 'stepTimeoutMs' | 'readPattern'>,
  progress: ScriptProgress,
  { time, notice }: { time: Pick<LineTime, 'after'>; notice: () => void },
): ScriptWatch => ({
  stepTimeoutMs,
  limit() {
    let isOver = false;
    const cancel = time.after(stepTimeoutMs, () => {
      isOver = true;
      notice();
    });
    return { isOver: () => isOver, cancel };
  },
  patternOf(source) {
    const pattern = readPattern(source);
    return isPattern(pattern) ? pattern : undefined;
  },
  done(count) {
    progress.stepsDone = count;
  },
  isDone() {
    progress.stepsDone = progress.steps;
    progress.outcome = 'done';
  },
  timedOut() {
    progress.outcome = 'timed_out';
  },
  personaEnded(result) {
    progress.persona = result;
  },
});

/** Maximum number of finished rehearsals whose progress is stored. */
const mostKept = 1_000;

export type Rehearsals = {
  /** Begins to play a script in this call, or continues after these completed steps. */
  begin(callId: string, script: Script, stepsDone: number): ScriptProgress;
  find(callId: string): Readonly<ScriptProgress> | undefined;
};

export const createRehearsals = (): Rehearsals => {
  const calls = new Map<string, ScriptProgress>();
  return {
    begin(callId, script, stepsDone) {
      const progress: ScriptProgress = { steps: script.length, stepsDone, outcome: 'playing', persona: null };
      calls.set(callId, progress);
      const [oldest] = calls.keys();
      if (calls.size > mostKept && oldest !== undefined) calls.delete(oldest);
      return progress;
    },
    find: (callId) => calls.get(callId),
  };
};

/** Whether a step only waits for a duration of its own. */
export const takesItsTime = (step: ScriptStep): boolean =>
  'wait_sec' in step || 'noise_sec' in step || 'hold_sec' in step;

/**
 * Plays a step while the person listens to the agent. Returns false if the script is watched and the step timed out.
 * The time limit does not apply while the person itself speaks.
 */
export function* inTime(
  course: Course,
  {
    phone,
    ears,
    watch,
    isLimited,
  }: { phone: Phone; ears: Ears; watch: ScriptWatch | null; isLimited: boolean },
): Course<boolean> {
  const limit = isLimited ? watch?.limit() : undefined;
  const isLate = (): boolean => limit?.isOver() === true && !phone.isSpeaking();
  let next = course.next(true);
  while (next.done !== true) {
    const { until = () => false, ...others } = next.value;
    const heard = (): boolean => {
      ears.listen();
      return until() || isLate();
    };
    const cameTrue = yield { ...others, until: heard };
    if (cameTrue && !until()) {
      watch?.timedOut();
      return false;
    }
    next = course.next(cameTrue);
  }
  limit?.cancel();
  return true;
}
