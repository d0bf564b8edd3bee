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
import { hangUp, type Attempt, type Connection } from './signalling/attempt.ts';
import { createCallMedia, type MediaMeans } from './call-media.ts';
import { createDtmfDeduplication, type DtmfSource } from './signalling/dtmf.ts';
import type { BackgroundTasks } from './background-tasks.ts';
import { answerInDialogRequests } from './signalling/in-dialog-requests.ts';

/** A BYE or a CANCEL that is not answered within this time has ended the call all the same. */
const byeMs = 1_500;

export type DrachtioLineOptions = MediaMeans & {
  input: LineInput;
  emit: (event: LineEvent) => void;
  /** Begins to dial or to answer. */
  attempt: (onRinging: () => void) => Attempt;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
  /** The line is over and holds nothing any more. */
  onOver: () => void;
};

export type DrachtioLine = Line & {
  /** The connection to drachtio-server is lost: nobody knows any more what becomes of the call. */
  lose(): void;
};

export const createDrachtioLine = (options: DrachtioLineOptions): DrachtioLine => {
  const { backgroundTasks, logger } = options;
  const time = createLineTime(options.clock, 1);
  let phase: 'connecting' | 'answered' | 'leaving' | 'over' = 'connecting';
  let connection: Connection | null = null;
  let hasFailed = false;

  const reports = createLineReports(time, (event) => {
    if (event.type === 'line.unanswered' || event.type === 'line.ended') finish();
    options.emit(event);
  });

  const sound = createCallMedia({
    ...options,
    time,
    callId: options.input.callId,
    language: options.input.language,
    isOutbound: options.input.direction === 'outbound',
    on: {
      played: (played) => reports.report({ type: 'line.played', ...played }),
      speech: () => reports.report({ type: 'line.speech' }),
      heard: (heard) => reports.report({ type: 'line.heard', ...heard }),
      answeredBy: (by) => reports.report({ type: 'line.answered_by', by }),
      takesMessage: () => reports.report({ type: 'line.takes_message' }),
      lost: () => fail(),
    },
  });

  const fail = (): void => {
    if (phase !== 'answered' || hasFailed) return;
    hasFailed = true;
    reports.report({ type: 'line.failed' });
  };

  /** No sound is carried any more. The dialog, if it stands, is the caller's to end. */
  const letGo = (): void => {
    sound.end();
    const endpoint = connection?.endpoint;
    if (endpoint !== undefined) backgroundTasks.add('destroying an endpoint', () => endpoint.destroy());
  };

  const press = (keys: string): void => {
    const endpoint = phase === 'answered' ? connection?.endpoint : undefined;
    if (endpoint === undefined) return;
    backgroundTasks.add('pressing keys', () =>
      endpoint.press(keys).catch((error: unknown) => {
        logger.warn({ err: error }, 'keys could not be pressed');
      }),
    );
  };

  const bye = (): Promise<void> => (connection === null ? Promise.resolve() : hangUp(connection));

  const leave = (by: 'counterparty' | 'gateway'): void => {
    if (phase !== 'answered') return;
    phase = 'leaving';
    const sip = connection?.sip;
    const end = (): void => reports.report({ type: 'line.ended', by, ...(sip === undefined ? {} : { sip }) });
    letGo();
    if (by === 'counterparty') {
      connection?.farEnd.over();
      return end();
    }
    const cancel = time.after(byeMs, end);
    backgroundTasks.add('BYE', () =>
      bye().finally(() => {
        cancel();
        if (phase === 'leaving') end();
      }),
    );
  };

  const reportUnanswered = (cause: UnansweredCause, sip: SipDetails): void =>
    reports.report({ type: 'line.unanswered', cause, sip });

  const giveUp = (cause: UnansweredCause, sip: SipDetails): void => {
    if (phase !== 'connecting') return;
    phase = 'leaving';
    sound.end();
    reportUnanswered(cause, sip);
  };

  /** The attempt says what became of it: the answer to a CANCEL is the end of the call, and stands in its record. */
  const cancel = (): void => {
    if (phase !== 'connecting') return;
    phase = 'leaving';
    sound.end();
    attempt.cancel();
    let isReported = false;
    const report = (sip: SipDetails): void => {
      if (isReported) return;
      isReported = true;
      stopWaiting();
      reportUnanswered('cancelled', sip);
    };
    const stopWaiting = time.after(byeMs, () => report(attempt.sip()));
    backgroundTasks.add('cancelling a call attempt', async () => {
      const outcome = await attempt.outcome;
      report(outcome.answered ? outcome.connection.sip : outcome.sip);
    });
  };

  const finish = (): void => {
    if (phase === 'over') return;
    const before = phase;
    phase = 'over';
    time.stop();
    if (before === 'connecting') attempt.cancel();
    if (before === 'answered') {
      letGo();
      backgroundTasks.add('BYE', bye);
    }
    options.onOver();
  };

  const stand = (answered: Connection): void => {
    phase = 'answered';
    connection = answered;
    const { endpoint, sip } = answered;
    const ear = createDtmfDeduplication(() => options.clock.now());
    const onKey = (digit: string, source: DtmfSource): void => {
      if (phase === 'answered' && ear.isNew(digit, source)) reports.report({ type: 'line.digit', digit });
    };
    endpoint.onDigit((digit) => onKey(digit, 'rtp'));
    endpoint.onLost((reason) => {
      if (phase === 'answered') logger.warn({ reason }, 'the media server has ended the sound of a call');
      fail();
    });
    reports.report({ type: 'line.answered', sip });
    sound.begin();
    answerInDialogRequests(answered, {
      backgroundTasks,
      onKey: (digit) => onKey(digit, 'info'),
      onHold: (isHeld) => reports.report({ type: isHeld ? 'line.held' : 'line.resumed' }),
      onLeft: () => leave('counterparty'),
    });
    backgroundTasks.add('connecting the sound of a call', async () => {
      try {
        await sound.connect(endpoint);
      } catch (error) {
        if (phase === 'answered') logger.error({ err: error }, 'the sound of a call could not be connected');
        fail();
      }
    });
  };

  const attempt = options.attempt(() => {
    if (phase === 'connecting') reports.report({ type: 'line.ringing' });
  });
  backgroundTasks.add('a call attempt', async () => {
    const outcome = await attempt.outcome;
    if (!outcome.answered) return giveUp(outcome.cause, outcome.sip);
    if (phase === 'connecting') return stand(outcome.connection);
    // It was answered in the moment in which it was given up.
    backgroundTasks.add('destroying an endpoint', () => outcome.connection.endpoint.destroy());
    return hangUp(outcome.connection);
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
            reports.report({
              type: 'line.played',
              startedAt,
              utterance,
              text: '',
              whole: false,
            });
          } else sound.say(command.utterance, command.text);
          break;
        case 'press':
          press(command.keys);
          break;
        case 'stopTalking':
          sound.stopTalking();
          break;
        case 'pauseRecording':
          sound.pauseRecording();
          break;
        case 'resumeRecording':
          sound.resumeRecording();
          break;
        case 'expectHangup':
          break;
        case 'hangUp':
          cancel();
          leave('gateway');
          break;
      }
    },
    dispose: finish,
    lose() {
      attempt.lose();
      giveUp('trunk_error', attempt.sip());
      fail();
    },
  };
};
