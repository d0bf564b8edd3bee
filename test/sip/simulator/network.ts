/** A simulated telephone network on a simulated clock, and a simple agent for the callees in it. */
import { pino } from 'pino';
import { answeringMachine } from '#config/policy.ts';
import type { LineEvent, LineInput } from '#machines/line.ts';
import type { ScriptedCallee } from '#sip/simulator/callees.ts';
import type { Script } from '#sip/simulator/script.ts';
import type { Rehearsal } from '#sip/simulator/script-watch.ts';
import type { SimulatedFarEnd } from '#src/domain/simulated-far-end.ts';
import type { HeardBefore, LineResumeState } from '#src/domain/sip-leg.ts';
import { createSimulatorLines, type SimulatorLinesOptions } from '#sip/simulator/simulator-lines.ts';
import { createOrderedClock } from '#test/contract/ordered-clock.ts';
import { lineInput } from '#test/helpers/line-input.ts';
import { openWatched, type WatchedLine } from '#test/contract/watched-line.ts';

export const scriptedNumber = '01055550001';

export const scriptedInput = (changes: Partial<LineInput> = {}): LineInput =>
  lineInput({ to: scriptedNumber, ...changes });

/** Callees with a script, in memory. */
export const createScripts = () => {
  const callees = new Map<string, ScriptedCallee>();
  return {
    defineCallee: (number: string, script: Script, workspaceId = '', rehearsal?: Rehearsal) =>
      void callees.set(`${workspaceId} ${number}`, { script, rehearsal }),
    findCallee: (number: string, workspaceId = '') => callees.get(`${workspaceId} ${number}`),
  };
};

export const createNetwork = (options: Partial<SimulatorLinesOptions> = {}) => {
  const clock = createOrderedClock();
  const { speed = 1 } = options;
  const { defineCallee, findCallee } = createScripts();
  const lines = createSimulatorLines({
    clock: {
      ...clock,
      setTimeout: (callback, milliseconds) => clock.setTimeout(callback, milliseconds / speed),
    },
    speed,
    answering: answeringMachine,
    logger: pino({ level: 'silent' }),
    recording: null,
    mediaFor: false,
    findCallee,
    ...options,
  });
  return {
    clock,
    lines: { ...lines, defineCallee },
    reach: (
      changes: Partial<LineInput> = {},
      onEvent?: (event: LineEvent, line: WatchedLine) => void,
    ): WatchedLine => openWatched(lines.open, scriptedInput(changes), onEvent),
    /** Resumes a call to that number whose two persons had talked for this long in another process. */
    adopt: (to: string, connectedWith: LineResumeState['connectedWith']): WatchedLine =>
      openWatched(
        (input, emit) =>
          lines.resume(
            input,
            { legs: [], farEnd: null, connectedWith, heard: null, formerSends: false },
            emit,
          ),
        scriptedInput({ to }),
      ),
    /** Resumes a call whose far end another process stored. */
    resume: (farEnd: SimulatedFarEnd, changes: Partial<LineInput> = {}): WatchedLine =>
      openWatched(
        (input, emit) =>
          lines.resume(
            input,
            { legs: [], farEnd, connectedWith: null, heard: null, formerSends: false },
            emit,
          ),
        scriptedInput(changes),
      ),
    /** Resumes a recorded call to that number, of which this was heard in another process. */
    adoptRecorded: (changes: Partial<LineInput>, heard: HeardBefore): WatchedLine =>
      openWatched(
        (input, emit) =>
          lines.resume(
            input,
            { legs: [], farEnd: null, connectedWith: null, heard, formerSends: false },
            emit,
          ),
        scriptedInput(changes),
      ),
    /** Calls a callee with this script. */
    reachScript: (script: Script, onEvent?: (event: LineEvent, line: WatchedLine) => void): WatchedLine => {
      defineCallee(scriptedNumber, script);
      return openWatched(lines.open, scriptedInput(), onEvent);
    },
    /** Advances the clock until the condition holds; returns the elapsed milliseconds. */
    until: (condition: () => boolean, atMostMs = 60_000): number => {
      const begin = clock.now();
      while (!condition()) {
        if (clock.now() - begin > atMostMs) throw new Error('It did not happen in time');
        clock.advance(5);
      }
      return clock.now() - begin;
    },
  };
};

/**
 * An agent that stops when the other party speaks and gives these replies, one for the answer and one for each sentence
 * that it hears, a moment later. `last` is called with its last reply.
 */
export const agentWith = (
  clock: { setTimeout(callback: () => void, milliseconds: number): unknown },
  replies: readonly string[],
  last: (line: WatchedLine) => void = () => {},
): ((event: LineEvent, line: WatchedLine) => void) => {
  let next = 0;
  return (event, line) => {
    if (event.type === 'line.speech') line.tell({ type: 'stopTalking' });
    if (event.type !== 'line.answered' && (event.type !== 'line.heard' || event.backchannel)) return;
    const reply = replies[next];
    next += 1;
    if (reply === undefined) return;
    const isLast = next === replies.length;
    clock.setTimeout(() => {
      line.say(reply);
      if (isLast) last(line);
    }, 100);
  };
};
