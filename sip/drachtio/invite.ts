/** Sends one INVITE to one trunk. The result is an answer, a refusal, or a missing response. */
import { EventEmitter } from 'node:events';
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { SipDetails } from '#machines/line.ts';
import type { Clock } from '#src/domain/clock.ts';
import type { MediaChannel, SipLeg } from '#src/domain/sip-leg.ts';
import { digestClientFor, type DigestClient } from '../digest/digest-client.ts';
import type { Credentials } from '../digest/digest-response.ts';
import type { FailedTry } from '../trunks/failover.ts';
import type { Ladder } from '../trunks/ladder.ts';
import { repetitionAfter, type Repetition } from '../trunks/repeat-request.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { allowed } from './dialog/capabilities.ts';
import { hangUp } from './leg.ts';
import { heldDialog, holdRequests } from './dialog/held-requests.ts';
import { authorizeRequests } from './dialog/sent-requests.ts';
import { createEarlySessions } from './dialog/early-sessions.ts';
import type { TrackedLeg } from './resume/leg-tracker.ts';
import { sentFrom, sourceOf, type Way } from './call-route.ts';
import { explanationIn, plainText } from '../headers/reasons.ts';
import { takesInfo } from './dtmf/dtmf.ts';
import { acceptedLeg, answeredLeg, invitingLeg } from './resume/leg-states.ts';
import { descriptionIn } from './dialog/message-body.ts';
import { refusals, refuse } from './dialog/refusals.ts';
import { contactOfInvite } from './dialog/tls-contact.ts';
import { afterTooSmall, agreedTimer, timerOffer, type SessionTimes } from './dialog/session-timer.ts';

export type Invited =
  | {
      answered: true;
      /** Dialog of the call. Requests in the dialog are held until they are released. */
      dialog: Srf.Dialog;
      trackedLeg: TrackedLeg;
      /** The far end's session description. */
      remoteSdp: string;
      /** Whether the gateway refreshes the session (RFC 4028). */
      weRefresh: boolean;
      takesInfo: boolean;
      sip: SipDetails;
    }
  | {
      answered: false;
      failed: FailedTry;
      sip: SipDetails;
      /** Redirect targets: the unmodified header `Contact` of a 3xx. */
      contacts: string | null;
      /** Milliseconds until the target may be tried again (`Retry-After`); 0 if missing. */
      retryAfterMs: number;
    };

export type Invitation = {
  /** Result of the INVITE. Never rejects. */
  outcome: Promise<Invited>;
  /** SIP details known so far. */
  sip(): SipDetails;
  way(): Way;
  cancel(): void;
  /** Cancels without waiting for a response. The outcome has `reason` as its reason. */
  giveUp(reason: string): void;
};

export type InviteOptions = {
  srf: Srf;
  uri: string;
  headers: Record<string, string>;
  /** Credentials for challenges. */
  credentials?: Credentials;
  offer: string;
  /** Endpoint that makes the offer. */
  endpoint: Pick<MediaEndpoint, 'answerEarly'>;
  /** Id of the trunk. */
  trunkId: string;
  /** Channel of the call's audio in the media server. */
  channel: MediaChannel | null;
  /** Called for each INVITE that is sent. */
  trackLeg: () => TrackedLeg;
  sessionTimes: SessionTimes;
  /** Called when a provisional response shows progress, at most once for each kind. */
  onProgress: (progress: Progress) => void;
  ladder?: Ladder;
  /** Time after which a trunk without any response is given up. */
  silenceMs: number;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
};

/**
 * Returns `Retry-After` in milliseconds; 0 if it is missing. The status determines whether the header concerns the
 * trunk or the callee (RFC 3261 section 20.33).
 */
const retryAfterOf = (response: Srf.SrfResponse): number => {
  if (!response.has('Retry-After')) return 0;
  const [, seconds = '0'] = /^\s*(\d{1,9})/.exec(response.get('Retry-After')) ?? [];
  return Number(seconds) * 1_000;
};

/** Result of an INVITE that was refused or not answered. */
type Refusal = { failed: FailedTry; contacts: string | null; retryAfterMs: number };

/** Post-dial delay: milliseconds from the INVITE to the first sign of the callee; `null` before the first sign. */
const createPostDialDelay = ({ now }: Pick<Clock, 'now'>) => {
  let sentAt: number | null = null;
  let delayMs: number | null = null;
  return {
    sent: () => void (sentAt ??= now()),
    /** Handles any response. Responses below 180 do not concern the callee; a refusal ends the call. */
    answered(status: number): void {
      if (sentAt !== null && status >= 180 && status < 300) delayMs ??= Math.max(0, now() - sentAt);
    },
    ms: () => delayMs,
  };
};

const isAnswer = ({ status }: Srf.SrfResponse): boolean => status >= 200 && status < 300;

/** Progress of a call as its provisional responses show it. */
type Progress = Exclude<FailedTry['came'], 'nowhere'>;

/** Progress of an INVITE: the last response, and the progress that the responses have shown. */
const createInviteProgress = (clock: Pick<Clock, 'now'>) => {
  const postDialDelay = createPostDialDelay(clock);
  let request: Srf.SrfRequest | null = null;
  let last: Srf.SrfResponse | null = null;
  let came: FailedTry['came'] = 'nowhere';

  return {
    /** Returns the last INVITE that was sent. */
    request: () => request,
    sent(next: Srf.SrfRequest): void {
      request = next;
      postDialDelay.sent();
    },

    /** Returns the last response, including provisional ones. */
    last: () => last,
    answered(response: Srf.SrfResponse): void {
      last = response;
      postDialDelay.answered(response.status);
    },

    /** Handles a provisional response. Returns the progress of the call if the response changes it. */
    provisional(response: Srf.SrfResponse): Progress | null {
      const next: Progress = response.status === 180 ? 'ringing' : 'progress';
      if (response.status < 180 || came === 'ringing' || came === next) return null;
      came = next;
      return next;
    },

    sip: (): SipDetails => ({
      status: last?.status ?? null,
      reason: last && plainText(last.reason),
      callId: request?.get('Call-ID') ?? null,
      ...(last !== null && last.status >= 300 ? explanationIn(last) : {}),
    }),

    way: (): Way => ({
      localAddress: request && sentFrom(request),
      remoteAddress: last && sourceOf(last),
      postDialDelayMs: postDialDelay.ms(),
    }),

    /** Returns the result of an INVITE without a final response, for any reason. */
    withoutAnswer: (): Refusal => ({
      failed: { status: null, came },
      contacts: null,
      retryAfterMs: 0,
    }),

    /** Returns the result of an answer from which no dialog could be created; `null` without an answer. */
    unusable: (): Refusal | null =>
      last !== null && isAnswer(last)
        ? { failed: { status: last.status, came }, contacts: null, retryAfterMs: 0 }
        : null,

    /** Returns the trunk's refusal; `null` without a final response. */
    refusal(): Refusal | null {
      if (last === null || last.status < 300) return null;
      const reason = last.has('Reason') ? last.get('Reason') : undefined;
      const contacts = last.status < 400 && last.has('Contact') ? last.get('Contact') : null;
      return { failed: { status: last.status, reason, came }, contacts, retryAfterMs: retryAfterOf(last) };
    },
  };
};

type InviteProgress = ReturnType<typeof createInviteProgress>;

/** State of an INVITE. `over`: the outcome is known. */
type State = 'inviting' | 'cancelled' | 'over';

/** State of an INVITE in progress. */
type Sending = {
  progress: InviteProgress;
  state: () => State;
  sendCancel: (request: Srf.SrfRequest) => void;
  digest: DigestClient;
};

type Created = { dialog: Srf.Dialog; trackedLeg: TrackedLeg; remoteSdp: string };

type OnUpdate = (request: Srf.SrfRequest, response: Srf.SrfResponse) => void;

/**
 * Handles UPDATE requests before the answer. drachtio-srf adds its own listener, which would repeat our offer, as soon
 * as this function has returned, so this listener comes first.
 */
const takeUpdates = (sent: EventEmitter, onUpdate: OnUpdate): void =>
  queueMicrotask(() => {
    sent.removeAllListeners('update');
    sent.on('update', onUpdate);
  });

/** Sends the INVITE. A challenge is answered with credentials if there are any. */
const sendAuthorized = async (
  options: InviteOptions,
  times: SessionTimes,
  { progress, state, digest }: Sending,
  on: OnInvite,
): Promise<Srf.Dialog> => {
  const authorizing = digest.begin();
  let repetition: Repetition | null = null;
  for (;;) {
    try {
      return await send(options, times, repetition, on);
    } catch (error) {
      const [response, request] = [progress.last(), progress.request()];
      if (state() !== 'inviting' || response === null || request === null) throw error;
      repetition = repetitionAfter(response, request, authorizing);
      if (repetition === null) throw error;
    }
  }
};

type OnInvite = {
  sent: (request: Srf.SrfRequest) => void;
  response: (response: Srf.SrfResponse) => void;
  provisional: (response: Srf.SrfResponse) => void;
  update: OnUpdate;
};

/** Sends one INVITE; resolves when it is answered. */
const send = (
  { srf, uri, headers, offer, ladder }: InviteOptions,
  times: SessionTimes,
  repetition: Repetition | null,
  on: OnInvite,
): Promise<Srf.Dialog> =>
  heldDialog((done) =>
    srf.createUAC(
      uri,
      {
        localSdp: offer,
        // drachtio-srf confirms reliable provisional responses (100rel) with PRACK.
        ...repetition,
        headers: {
          Supported: 'timer, 100rel',
          Allow: allowed,
          ...contactOfInvite(uri),
          ...timerOffer(times),
          ...headers,
          ...repetition?.headers,
        },
      },
      {
        // drachtio-srf calls this with only an error if the INVITE could not be sent, and then also calls `done`.
        cbRequest: (_error: unknown, sent?: Srf.SrfRequest) => {
          if (sent === undefined) return;
          if (sent instanceof EventEmitter) takeUpdates(sent, on.update);
          ladder?.follow(sent);
          sent.on('response', (response) => {
            if (response !== undefined) on.response(response);
          });
          on.sent(sent);
        },
        cbProvisional: on.provisional,
      },
      done,
    ),
  );

/**
 * Resolves with the answered INVITE. Rejects when the far end has ended, or is hung up because no dialog could be created
 * from its answer, for example without a Contact.
 */
const create = async (options: InviteOptions, times: SessionTimes, sending: Sending): Promise<Created> => {
  const { progress, state, sendCancel, digest } = sending;
  const trackedLeg = options.trackLeg();
  const earlySessions = createEarlySessions(options);
  let leg: SipLeg | null = null;
  let answered: Srf.SrfResponse | null = null;
  try {
    const dialog = await sendAuthorized(options, times, sending, {
      sent(request) {
        leg = invitingLeg(request, options.channel);
        trackedLeg.update(leg);
        progress.sent(request);
        if (state() !== 'inviting') sendCancel(request);
      },
      response(response) {
        if (isAnswer(response)) answered = response;
        if (state() !== 'over') progress.answered(response);
      },
      provisional(response) {
        earlySessions.provisional(response);
        const came = progress.provisional(response);
        if (came !== null && state() === 'inviting') options.onProgress(came);
      },
      update(request, response) {
        if (state() === 'inviting') earlySessions.update(request, response);
        else refuse(response, refusals.noSuchCall, options.logger);
      },
    });
    authorizeRequests(dialog, digest);
    await earlySessions.finish();
    const answer = progress.last();
    const session = earlySessions.answered(dialog.sip.remoteTag, answer ? descriptionIn(answer) : undefined);
    dialog.remote.sdp = session.remoteSdp;
    dialog.local.sdp = session.localSdp ?? dialog.local.sdp;
    if (leg !== null && answer !== null) {
      const agreed = { ...agreedTimer(answer), takesInfo: takesInfo(answer), trunkId: options.trunkId };
      trackedLeg.update(answeredLeg(leg, answer, dialog, agreed));
    }
    return { dialog, trackedLeg, remoteSdp: session.remoteSdp };
  } catch (error) {
    await earlySessions.finish();
    if (leg === null || answered === null) trackedLeg.ended();
    else {
      trackedLeg.update(acceptedLeg(leg, answered));
      trackedLeg.abandon();
    }
    throw error;
  }
};

/**
 * Sends an INVITE like `create`. If the trunk requires longer session times (RFC 4028 section 7.3), one retry follows.
 */
const createOnTheirTimes = async (options: InviteOptions, sending: Sending): Promise<Created> => {
  const { sessionTimes } = options;
  try {
    return await create(options, sessionTimes, sending);
  } catch (error) {
    const last = sending.progress.last();
    const times = last?.status === 422 ? afterTooSmall(last, sessionTimes) : undefined;
    if (times === undefined || sending.state() !== 'inviting') throw error;
    return create(options, times, sending);
  }
};

export const invite = (options: InviteOptions): Invitation => {
  const { clock, backgroundTasks, logger } = options;
  const progress = createInviteProgress(clock);
  const { promise: outcome, resolve } = Promise.withResolvers<Invited>();
  let state: State = 'inviting';

  const sendCancel = (sent: Srf.SrfRequest): void =>
    backgroundTasks.add('CANCEL', () => new Promise((done) => sent.cancel(done)));

  const digest = digestClientFor(options.credentials);
  const sending: Sending = { progress, state: () => state, sendCancel, digest };

  const cancel = (): void => {
    if (state !== 'inviting') return;
    state = 'cancelled';
    const sent = progress.request();
    if (sent !== null) sendCancel(sent);
  };

  const settle = (invited: Invited): void => {
    clock.clearTimeout(timer);
    state = 'over';
    resolve(invited);
  };

  const giveUp = (sip: Pick<SipDetails, 'reason'> & Partial<SipDetails>): void => {
    if (state === 'over') return;
    cancel();
    settle({ answered: false, ...progress.withoutAnswer(), sip: { ...progress.sip(), ...sip } });
  };

  const refused = (error: unknown): Invited => {
    const sip = progress.sip();
    const refusal = progress.refusal();
    if (refusal !== null) return { answered: false, ...refusal, sip };
    const unusable = progress.unusable();
    if (unusable !== null) {
      logger.warn({ err: error }, 'the answer to an INVITE is unusable, and its far end is hung up');
      return { answered: false, ...unusable, sip: { ...sip, reason: 'The answer is unusable' } };
    }
    if (state === 'inviting') logger.warn({ err: error }, 'the INVITE could not be sent');
    return { answered: false, ...progress.withoutAnswer(), sip };
  };

  const timer = clock.setTimeout(() => {
    // A time-out has the status 408 (RFC 3261 section 8.1.3.1).
    if (progress.last() === null) giveUp({ status: 408, reason: 'The trunk does not answer' });
  }, options.silenceMs);

  backgroundTasks.add('an INVITE', async () => {
    let created: Created;
    try {
      created = await createOnTheirTimes(options, sending);
    } catch (error) {
      if (state !== 'over') settle(refused(error));
      return undefined;
    }
    // The answer arrived after the INVITE was given up, so the call is hung up.
    if (state === 'over') {
      holdRequests(created.dialog, false);
      return hangUp(created);
    }
    const answer = progress.last();
    settle({
      answered: true,
      ...created,
      weRefresh: answer !== null && agreedTimer(answer).weRefresh,
      takesInfo: answer !== null && takesInfo(answer),
      sip: progress.sip(),
    });
    return undefined;
  });

  return { outcome, sip: progress.sip, way: progress.way, cancel, giveUp: (reason) => giveUp({ reason }) };
};
