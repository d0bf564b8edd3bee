/** One INVITE to one trunk: it is answered, refused, or there is no word from the trunk. */
import { EventEmitter } from 'node:events';
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { SipDetails } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { MediaChannel, SipLeg } from '#src/domain/sip-leg.ts';
import type { FailedTry } from '../../trunks/failover.ts';
import type { Ladder } from '../../trunks/ladder.ts';
import { allowed, hangUp, holdRequests } from './attempt.ts';
import type { FarEnd } from './far-ends.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { answeredLeg, invitingLeg } from './sip-leg.ts';
import { afterTooSmall, isOursToRefresh, timerOffer, type SessionTimes } from './session-timer.ts';

export type Invited =
  | {
      answered: true;
      /** Its requests wait until they are let through. */
      dialog: Srf.Dialog;
      farEnd: FarEnd;
      /** The far end's answer to our offer. */
      remoteSdp: string;
      /** Whether it is for us to keep the session alive (RFC 4028). */
      weRefresh: boolean;
      sip: SipDetails;
    }
  | {
      answered: false;
      failed: FailedTry;
      sip: SipDetails;
      /** How long the trunk wants no more calls, in milliseconds (`Retry-After`); 0 where it does not say. */
      retryAfterMs: number;
    };

export type Invitation = {
  /** Never rejects. */
  outcome: Promise<Invited>;
  /** What is known of the call by now. */
  sip(): SipDetails;
  cancel(): void;
  /** As `cancel`, but nothing is waited for: this is the reason in the outcome. */
  giveUp(reason: string): void;
};

/** Of a 503 alone: it speaks of the trunk. After any other answer it speaks of the callee (RFC 3261 section 20.33). */
const retryAfterOf = (response: Srf.SrfResponse): number => {
  if (response.status !== 503 || !response.has('Retry-After')) return 0;
  const [, seconds = '0'] = /^\s*(\d{1,9})/.exec(response.get('Retry-After')) ?? [];
  return Number(seconds) * 1_000;
};

const tagOf = (response: Srf.SrfResponse): string => /;\s*tag=([^;\s]+)/i.exec(response.get('To'))?.[1] ?? '';

export const invite = (options: {
  srf: Srf;
  uri: string;
  headers: Record<string, string>;
  auth?: { username: string; password: string };
  offer: string;
  /** Where its sound is. */
  channel: MediaChannel;
  /** For each INVITE that is sent. */
  meetFarEnd: () => FarEnd;
  sessionTimes: SessionTimes;
  onRinging: () => void;
  ladder?: Ladder;
  /** A trunk from which nothing at all came for so long is given up. */
  silenceMs: number;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
}): Invitation => {
  const { srf, uri, headers, auth, offer, clock, backgroundTasks, logger } = options;
  let request: Srf.SrfRequest | null = null;
  let last: Srf.SrfResponse | null = null;
  let came: FailedTry['came'] = 'nowhere';
  /** Answers to our offer that came before the call was answered, by the far end's tag. */
  const early = new Map<string, string>();
  let isCancelled = false;
  let isOver = false;

  const details = (): SipDetails => ({
    status: last?.status ?? null,
    reason: last?.reason ?? null,
    callId: request?.get('Call-ID') ?? null,
  });

  const sendCancel = (sent: Srf.SrfRequest): void =>
    backgroundTasks.add('CANCEL', () => new Promise((resolve) => sent.cancel(resolve)));

  const cancel = (): void => {
    if (isCancelled || isOver) return;
    isCancelled = true;
    if (request !== null) sendCancel(request);
  };

  /** Resolves when the INVITE was answered; its far end is gone otherwise. */
  const create = async (times: SessionTimes): Promise<{ dialog: Srf.Dialog; farEnd: FarEnd }> => {
    const farEnd = options.meetFarEnd();
    let leg: SipLeg | null = null;
    const isSent = (sent: Srf.SrfRequest): void => {
      leg = invitingLeg(sent, options.channel);
      farEnd.is(leg);
    };
    try {
      const dialog = await send(times, isSent);
      if (leg !== null && last !== null) farEnd.is(answeredLeg(leg, last));
      return { dialog, farEnd };
    } catch (error) {
      farEnd.over();
      throw error;
    }
  };

  const send = (times: SessionTimes, isSent: (sent: Srf.SrfRequest) => void): Promise<Srf.Dialog> =>
    srf.createUAC(
      uri,
      {
        localSdp: offer,
        // Provisional answers that are to be confirmed (100rel) drachtio-srf confirms with PRACK.
        headers: { Supported: 'timer, 100rel', Allow: allowed, ...timerOffer(times), ...headers },
        ...(auth === undefined ? {} : { auth }),
      },
      {
        // Called with an error and nothing else when the INVITE could not be sent; the promise rejects then, too.
        cbRequest: (_error: unknown, sent?: Srf.SrfRequest) => {
          if (sent === undefined) return;
          request = sent;
          isSent(sent);
          // After a challenge it is sent anew, by a transaction of its own.
          if (sent instanceof EventEmitter) sent.on('authenticate', isSent);
          options.ladder?.follow(sent);
          sent.on('response', (response) => {
            if (response !== undefined && !isOver) last = response;
          });
          if (isCancelled) sendCancel(sent);
        },
        cbProvisional: (response) => {
          if (response.body !== '') early.set(tagOf(response), response.body);
          if (response.status < 180) return;
          const isFirst = came === 'nowhere';
          if (came !== 'ringing') came = response.status === 180 ? 'ringing' : 'progress';
          if (isFirst && !isCancelled) options.onRinging();
        },
      },
    );

  const createOrLater = async (): ReturnType<typeof create> => {
    try {
      return await create(options.sessionTimes);
    } catch (error) {
      const times = last?.status === 422 ? afterTooSmall(last, options.sessionTimes) : undefined;
      if (times === undefined || isCancelled) throw error;
      return create(times);
    }
  };

  const refused = (error: unknown): Invited => {
    const sip = details();
    const status = last?.status ?? 0;
    if (last === null || status < 300) {
      if (!isCancelled) logger.warn({ err: error }, 'the INVITE could not be sent');
      return { answered: false, failed: { status: null, came }, sip, retryAfterMs: 0 };
    }
    const reason = last.has('Reason') ? last.get('Reason') : undefined;
    return { answered: false, failed: { status, reason, came }, sip, retryAfterMs: retryAfterOf(last) };
  };

  const { promise: outcome, resolve } = Promise.withResolvers<Invited>();
  const settle = (invited: Invited): void => {
    clock.clearTimeout(timer);
    isOver = true;
    resolve(invited);
  };
  const giveUp = (sip: Pick<SipDetails, 'reason'> & Partial<SipDetails>): void => {
    if (isOver) return;
    cancel();
    settle({
      answered: false,
      failed: { status: null, came },
      sip: { ...details(), ...sip },
      retryAfterMs: 0,
    });
  };
  const timer = clock.setTimeout(() => {
    // A time-out counts as this status (RFC 3261 section 8.1.3.1).
    if (last === null) giveUp({ status: 408, reason: 'The trunk does not answer' });
  }, options.silenceMs);

  backgroundTasks.add('an INVITE', async () => {
    let created: Awaited<ReturnType<typeof create>>;
    try {
      created = await createOrLater();
    } catch (error) {
      if (!isOver) settle(refused(error));
      return undefined;
    }
    // It was answered after it had been given up.
    if (isOver) return hangUp(created);
    const { dialog } = created;
    holdRequests(dialog, true);
    settle({
      answered: true,
      ...created,
      // Where the answer was confirmed before the call was answered, it is not said again (RFC 3262 section 5).
      remoteSdp: dialog.remote.sdp === '' ? (early.get(dialog.sip.remoteTag) ?? '') : dialog.remote.sdp,
      weRefresh: last !== null && isOursToRefresh(last),
      sip: details(),
    });
    return undefined;
  });

  return { outcome, sip: details, cancel, giveUp: (reason) => giveUp({ reason }) };
};
