/**
 * Checks that a call continues soon after a take-over if its other party has the last word: it was speaking, or it has
 * not been answered. The agent then speaks, or is asked for a reply, without waiting for the silence timer.
 */
import type { LineCommand, LineEvent } from '#machines/line.ts';
import { runIn, type SimulatedProcess, type SimulatedTime } from './simulated-time.ts';

/**
 * Longest silence. The conversation waits a second for a voice that still speaks (`lostWordsWait` of
 * machines/conversation-setup.ts); a late event of the line and a slow statement take up the rest.
 */
const longestMs = 4_000;

export type SilenceWatch = {
  /** An event of a line has reached the gateway. */
  reported(process: SimulatedProcess, callId: string, event: LineEvent): void;
  /** A line carries out a command of the gateway. */
  commanded(process: SimulatedProcess, callId: string, command: LineCommand): void;
  /** The agent has received a request for a reply. */
  asked(callId: string): void;
  /** The gateway has closed or released the line. */
  over(process: SimulatedProcess, callId: string): void;
};

type Floor = {
  /** Whether the other party has spoken since the agent's last words. */
  isTheirs: boolean;
  /** Whether an answering machine listens, to which the agent leaves a message at its own time. */
  isMachine: boolean;
  /** Whether the other party waits for a person or talks with one. */
  isTransferred: boolean;
  /** The gateway that has taken the call over last; `null` if the call has continued since. */
  silent: { process: SimulatedProcess } | null;
};

export const createSilenceWatch = (time: SimulatedTime, violate: (what: string) => void): SilenceWatch => {
  const floors = new Map<string, Floor>();
  const floorOf = (callId: string): Floor => {
    const floor = floors.get(callId) ?? {
      isTheirs: false,
      isMachine: false,
      isTransferred: false,
      silent: null,
    };
    floors.set(callId, floor);
    return floor;
  };
  /** A former holder says nothing about the present one. */
  const continues = (process: SimulatedProcess, callId: string): void => {
    const floor = floorOf(callId);
    if (floor.silent?.process === process) floor.silent = null;
  };

  const adopted = (process: SimulatedProcess, callId: string): void => {
    const floor = floorOf(callId);
    if (!floor.isTheirs || floor.isMachine || floor.isTransferred) return;
    const silent = { process };
    floor.silent = silent;
    const { interruptions } = process;
    runIn(null, () =>
      time.after(longestMs, () => {
        if (floor.silent === silent && process.isAlive && process.interruptions === interruptions)
          violate(`a call was silent after a take-over: ${callId} for ${longestMs / 1_000} s`);
      }),
    );
  };

  return {
    reported(process, callId, event) {
      if (event.type === 'line.adopted') return adopted(process, callId);
      const isSpeech = event.type === 'line.speech' || (event.type === 'line.heard' && !event.backchannel);
      const floor = floorOf(callId);
      if (event.type === 'line.answered_by') floor.isMachine = event.by === 'machine';
      if (event.type === 'line.transfer_failed') floor.isTransferred = false;
      if (isSpeech) floor.isTheirs = true;
      // Digits and the end of the line continue the call as well.
      return isSpeech || event.type === 'line.digit' || event.type === 'line.ended'
        ? continues(process, callId)
        : undefined;
    },
    commanded(process, callId, { type }) {
      const floor = floorOf(callId);
      if (type === 'say' || type === 'transfer') floor.isTheirs = false;
      if (type === 'transfer' || type === 'cancelTransfer') floor.isTransferred = type === 'transfer';
      if (type === 'say' || type === 'hangUp' || type === 'transfer') continues(process, callId);
    },
    asked: (callId) => void (floorOf(callId).silent = null),
    over: continues,
  };
};
