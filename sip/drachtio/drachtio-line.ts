/**
 * One real telephone call, in the vocabulary of `machines/line.ts`. It is `connecting` until its attempt has an
 * outcome, then `answered`; `leaving` while the last word is on its way; `over` when it was said or the line was
 * disposed.
 */
import type { Logger } from 'pino';
import type { Line, LineEvent, LineInput, SipDetails, UnansweredCause } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import { createLineReports } from '../line-reports.ts';
import { createLineTime } from '../line-time.ts';
import type { RecordingSink } from '../recording.ts';
import { hangUpDialog, type Attempt, type Connection } from './attempt.ts';
import { createLineRecording, type LineRecording } from './line-recording.ts';
import type { LooseEnds } from './loose-ends.ts';
import type { ExpectedFork, Fork, MediaSocket } from './media-socket.ts';
import { createPlayback } from './playback.ts';

/** A BYE that is not answered within this time has ended the call all the same. */
const byeMs = 1_500;

export type DrachtioLineOptions = {
  input: LineInput;
  emit: (event: LineEvent) => void;
  /** Begins to dial or to answer. */
  attempt: (onRinging: () => void) => Attempt;
  mediaSocket: MediaSocket;
  /** Samples at 8000 Hz. */
  synthesize: (text: string, signal: AbortSignal) => Promise<Int16Array>;
  /** `null` when the call is not recorded. */
  openRecording: (() => RecordingSink) | null;
  clock: Clock;
  looseEnds: LooseEnds;
  logger: Logger;
  /** The line is over and holds nothing any more. */
  onOver: () => void;
};

export type DrachtioLine = Line & {
  /** The connection to drachtio-server is lost: nobody knows any more what becomes of the call. */
  lose(): void;
};

export const createDrachtioLine = (options: DrachtioLineOptions): DrachtioLine => {
  const { looseEnds, logger } = options;
  const time = createLineTime(options.clock, 1);
  let phase: 'connecting' | 'answered' | 'leaving' | 'over' = 'connecting';
  let connection: Connection | null = null;
  let expectedFork: ExpectedFork | null = null;
  let fork: Fork | null = null;
  let recording: LineRecording | null = null;
  let hasFailed = false;

  const reports = createLineReports(time, (event) => {
    if (event.type === 'line.unanswered' || event.type === 'line.ended') finish();
    options.emit(event);
  });

  const playback = createPlayback({
    time,
    synthesize: options.synthesize,
    on: {
      played: (played) => reports.reportPlayed((at) => ({ type: 'line.played', at, ...played })),
      begun: (samples) => recording?.said(samples),
      cut: () => recording?.cut(),
    },
    logger,
  });

  const fail = (): void => {
    if (phase !== 'answered' || hasFailed) return;
    hasFailed = true;
    reports.report((at) => ({ type: 'line.failed', at }));
  };

  /** No sound is carried any more. The dialog, if it stands, is the caller's to end. */
  const letGo = (): void => {
    playback.end();
    recording?.end();
    recording = null;
    expectedFork?.cancel();
    fork?.close();
    fork = null;
    const endpoint = connection?.endpoint;
    if (endpoint !== undefined) looseEnds.add('destroying an endpoint', () => endpoint.destroy());
  };

  const press = (keys: string): void => {
    const endpoint = phase === 'answered' ? connection?.endpoint : undefined;
    if (endpoint === undefined) return;
    looseEnds.add('pressing keys', () =>
      endpoint.press(keys).catch((error: unknown) => {
        logger.warn({ err: error }, 'keys could not be pressed');
      }),
    );
  };

  const bye = (): Promise<void> =>
    connection === null ? Promise.resolve() : hangUpDialog(connection.dialog);

  const leave = (by: 'counterparty' | 'gateway'): void => {
    if (phase !== 'answered') return;
    phase = 'leaving';
    const sip = connection?.sip;
    const end = (): void =>
      reports.report((at) => ({ type: 'line.ended', at, by, ...(sip === undefined ? {} : { sip }) }));
    letGo();
    if (by === 'counterparty') return end();
    const cancel = time.after(byeMs, end);
    looseEnds.add('BYE', () =>
      bye().finally(() => {
        cancel();
        if (phase === 'leaving') end();
      }),
    );
  };

  const giveUp = (cause: UnansweredCause, sip?: SipDetails): void => {
    if (phase !== 'connecting') return;
    phase = 'leaving';
    playback.end();
    reports.report((at) => ({ type: 'line.unanswered', at, cause, ...(sip === undefined ? {} : { sip }) }));
  };

  const finish = (): void => {
    if (phase === 'over') return;
    const before = phase;
    phase = 'over';
    time.stop();
    if (before === 'connecting') attempt.cancel();
    if (before === 'answered') {
      letGo();
      looseEnds.add('BYE', bye);
    }
    options.onOver();
  };

  const record = (): LineRecording | null => {
    if (options.openRecording === null) return null;
    try {
      return createLineRecording(options.openRecording(), time);
    } catch (error) {
      logger.warn({ err: error }, 'a call goes on without its recording');
      return null;
    }
  };

  const connectSound = async ({ endpoint }: Connection): Promise<void> => {
    expectedFork = options.mediaSocket.expect({
      onAudio: (samples) => recording?.heard(samples),
      onMark: (name) => playback.onMark(name),
      onLost: fail,
    });
    await endpoint.fork(expectedFork.url, options.input.callId);
    const arrived = await expectedFork.arrived;
    if (phase !== 'answered') return arrived.close();
    fork = arrived;
    playback.attach(arrived);
  };

  const stand = (answered: Connection): void => {
    phase = 'answered';
    connection = answered;
    const { dialog, endpoint, sip } = answered;
    dialog.on('destroy', () => leave('counterparty'));
    // A re-INVITE moves the sound elsewhere, or holds it.
    dialog.on('modify', (request, response) => {
      looseEnds.add('taking a re-INVITE', async () => {
        try {
          response.send(200, { body: await endpoint.modify(request.body) });
        } catch (error) {
          response.send(488);
          throw error;
        }
      });
    });
    endpoint.onDigit((digit) => {
      if (phase === 'answered') reports.report((at) => ({ type: 'line.digit', at, digit }));
    });
    endpoint.onLost(fail);
    recording = record();
    reports.report((at) => ({ type: 'line.answered', at, sip }));
    looseEnds.add('connecting the sound of a call', async () => {
      try {
        await connectSound(answered);
      } catch (error) {
        if (phase === 'answered') logger.error({ err: error }, 'the sound of a call could not be connected');
        fail();
      }
    });
  };

  const attempt = options.attempt(() => {
    if (phase === 'connecting') reports.report((at) => ({ type: 'line.ringing', at }));
  });
  looseEnds.add('a call attempt', async () => {
    const outcome = await attempt.outcome;
    if (!outcome.answered) return giveUp(outcome.cause, outcome.sip);
    if (phase === 'connecting') return stand(outcome.connection);
    // It was answered in the moment in which it was given up.
    looseEnds.add('destroying an endpoint', () => outcome.connection.endpoint.destroy());
    return hangUpDialog(outcome.connection.dialog);
  });

  return {
    tell(command) {
      if (phase === 'over') return;
      switch (command.type) {
        case 'say':
          // Before the answer nobody is there to hear it.
          if (phase === 'connecting') {
            const startedAt = time.now();
            const { utterance } = command;
            reports.reportPlayed((at) => ({
              type: 'line.played',
              at,
              startedAt,
              utterance,
              text: '',
              whole: false,
            }));
          } else playback.say(command.utterance, command.text);
          break;
        case 'press':
          press(command.keys);
          break;
        case 'stopTalking':
          playback.stop();
          break;
        case 'expectHangup':
          break;
        case 'hangUp':
          if (phase === 'connecting') {
            attempt.cancel();
            giveUp('cancelled');
          }
          leave('gateway');
          break;
      }
    },
    dispose: finish,
    lose() {
      giveUp('trunk_error');
      fail();
    },
  };
};
