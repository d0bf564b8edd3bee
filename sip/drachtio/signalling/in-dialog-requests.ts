/**
 * Requests of the far end in a call that stands: to hold its sound or to move it elsewhere (re-INVITE, UPDATE), to know
 * that we are still there (the same, RFC 4028), to take keys (INFO), to end.
 */
import type Srf from 'drachtio-srf';
import type { SipDetails } from '#machines/line.ts';
import { explanationIn } from '../../headers/reasons.ts';
import { isHold } from '../../trunks/media-offer.ts';
import { abilities, allowed, allowedBy, holdRequests, type Connection } from './attempt.ts';
import { dtmfMediaTypes, dtmfOf } from './dtmf.ts';
import { pending } from './early-sessions.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { bodyIn, bodyProblem, descriptionIn, type Understood } from './message-body.ts';
import { Unacceptable, warningOf } from './negotiate.ts';
import { refusals, type InviteRefusal } from './refusals.ts';
import { refreshedTimer } from './session-timer.ts';

type Headers = Record<string, string>;

const notAllowed = { status: 405, reason: 'Method Not Allowed', headers: { Allow: allowed } };

/** Where nobody takes it. */
const refused: Readonly<Record<'refer' | 'message' | 'publish' | 'notify', InviteRefusal>> = {
  // Nobody is transferred because the other party says so.
  refer: { status: 603, reason: 'Decline' },
  message: notAllowed,
  publish: notAllowed,
  // We have subscribed to nothing (RFC 6665 section 4.1.3).
  notify: refusals.noSuchCall,
};

type Handlers = {
  backgroundTasks: BackgroundTasks;
  onKey: (key: string) => void;
  /** Whether the far end holds the call; said with each session description. */
  onHold: (isHeld: boolean) => void;
  /** With what its BYE says of why. */
  onLeft: (explanation: Pick<SipDetails, 'reasons' | 'callInfo'>) => void;
  /** Returns the refusal of a NOTIFY, or null where it is to be answered with 200. All are refused without it. */
  onNotify?: (request: Srf.SrfRequest) => InviteRefusal | null;
  /** Answers a REFER. All are refused without it. */
  onRefer?: (request: Srf.SrfRequest, response: Srf.SrfResponse) => void;
};

/**
 * Who keeps the session alive. To be called once for each request that may refresh it; returns the headers of the
 * answer.
 */
const createRefreshing = ({ trunk, trackedLeg, endpoint, ...connection }: Connection) => {
  let { weRefresh } = connection;
  return (request: Srf.SrfRequest): Headers => {
    const { headers, ...timer } = refreshedTimer(request, weRefresh);
    trackedLeg.agreed(timer, endpoint.channel());
    weRefresh = timer.weRefresh;
    return { Supported: 'timer', Allow: allowedBy(trunk), ...headers };
  };
};

const sendRefusal = (response: Srf.SrfResponse, { status, reason, headers }: InviteRefusal): void =>
  response.send(status, reason, headers === undefined ? {} : { headers });

/** The session of a dialog as it was described last, by either side. */
const createSession = (
  { dialog, trackedLeg, endpoint }: Connection,
  { backgroundTasks, onHold }: Pick<Handlers, 'backgroundTasks' | 'onHold'>,
) => {
  /** Our session description as the far end knows it. */
  let ours = dialog.local.sdp;
  /** Theirs. */
  let theirs = dialog.remote.sdp;
  /** `changing`: an offer of theirs is being answered. `offered`: a re-INVITE came without one, and has ours. */
  let state: 'settled' | 'changing' | 'offered' = 'settled';

  const sendOurs = (response: Srf.SrfResponse, headers: Headers): void =>
    response.send(200, { body: ours, headers: { ...headers, 'Content-Type': 'application/sdp' } });

  /** drachtio-srf puts the body of every INVITE and ACK there, also of one that is refused. */
  const restore = (): void => {
    dialog.remote.sdp = theirs;
  };

  const agreed = (change: { localSdp?: string; remoteSdp: string }): void => {
    theirs = change.remoteSdp;
    restore();
    trackedLeg.agreed(change, endpoint.channel());
    onHold(isHold(change.remoteSdp, ours));
  };

  return {
    restore,

    /** Why nothing can be agreed on now (RFC 3261 section 14.2, RFC 3311 section 5.2); undefined when it can. */
    obstacle(): InviteRefusal | undefined {
      if (state === 'changing') return pending.theirs();
      return state === 'offered' ? pending.ours : undefined;
    },

    modify(request: Srf.SrfRequest, offer: string, response: Srf.SrfResponse, headers: Headers): void {
      state = 'changing';
      backgroundTasks.add(`taking ${request.method}`, async () => {
        try {
          ours = await endpoint.modify(offer);
          sendOurs(response, headers);
          agreed({ localSdp: ours, remoteSdp: offer });
        } catch (error) {
          // The call stays as it was (RFC 3261 section 14.2).
          response.send(488, error instanceof Unacceptable ? { headers: warningOf(error.problem) } : {});
          if (!(error instanceof Unacceptable)) throw error;
        } finally {
          state = 'settled';
        }
      });
    },

    offer(response: Srf.SrfResponse, headers: Headers): void {
      state = 'offered';
      sendOurs(response, headers);
    },

    /** ACK, with the answer to our offer, if there is one. */
    confirmed(ack: Srf.SrfRequest): void {
      restore();
      if (state !== 'offered') return;
      state = 'settled';
      const answer = descriptionIn(ack);
      if (answer === undefined) return;
      backgroundTasks.add('taking the answer of an ACK', async () => {
        await endpoint.takeAnswer(answer);
        agreed({ remoteSdp: answer });
      });
    },
  };
};

/** Info packages have a disposition of their own (RFC 6086 section 4.4). */
const dtmfBodies: Understood = { types: dtmfMediaTypes, dispositions: ['info-package', 'signal', 'render'] };

/** Without a body INFO only asks whether we are there; what a body of an unknown kind asks for cannot be done. */
const answerInfo = (
  request: Srf.SrfRequest,
  response: Srf.SrfResponse,
  onKey: (key: string) => void,
): void => {
  const problem = bodyProblem(request, dtmfBodies);
  if (problem !== undefined) return sendRefusal(response, problem);
  response.send(200);
  const body = bodyIn(request, dtmfBodies);
  const key = body && dtmfOf(body.type, body.content);
  if (typeof key === 'string') onKey(key);
  return undefined;
};

export const answerInDialogRequests = (connection: Connection, handlers: Handlers): void => {
  const { dialog } = connection;
  const refresh = createRefreshing(connection);
  const session = createSession(connection, handlers);

  /** What a request that may change the session asks for; `null` where it was refused. */
  const wish = (
    request: Srf.SrfRequest,
    response: Srf.SrfResponse,
  ): { offer: string | undefined; headers: Headers } | null => {
    session.restore();
    const offer = descriptionIn(request);
    const asksForOurs = request.method === 'INVITE';
    const obstacle = offer === undefined && !asksForOurs ? undefined : session.obstacle();
    const refusal = bodyProblem(request) ?? obstacle;
    if (refusal === undefined) return { offer, headers: refresh(request) };
    sendRefusal(response, refusal);
    return null;
  };

  dialog.on('modify', (request, response) => {
    const wanted = wish(request, response);
    if (wanted === null) return;
    if (wanted.offer === undefined) session.offer(response, wanted.headers);
    else session.modify(request, wanted.offer, response, wanted.headers);
  });
  dialog.on('ack', session.confirmed);
  dialog.on('update', (request, response) => {
    const wanted = wish(request, response);
    if (wanted === null) return;
    if (wanted.offer === undefined) response.send(200, { headers: wanted.headers });
    else session.modify(request, wanted.offer, response, wanted.headers);
  });
  dialog.on('info', (request, response) => answerInfo(request, response, handlers.onKey));
  dialog.on('options', (_request, response) => response.send(200, { headers: abilities }));
  dialog.on('notify', (request, response) => {
    const refusal = handlers.onNotify === undefined ? refused.notify : handlers.onNotify(request);
    if (refusal === null) response.send(200);
    else sendRefusal(response, refusal);
  });
  dialog.on('refer', (request, response) => {
    if (handlers.onRefer === undefined) sendRefusal(response, refused.refer);
    else handlers.onRefer(request, response);
  });
  for (const event of ['message', 'publish'] as const)
    dialog.addListener(event, (_request: Srf.SrfRequest, response: Srf.SrfResponse) =>
      sendRefusal(response, refused[event]),
    );
  dialog.on('destroy', (bye) => handlers.onLeft(explanationIn(bye)));
  holdRequests(dialog, false);
};
