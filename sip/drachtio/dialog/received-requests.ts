/**
 * In-dialog requests of the far end: hold or media change (re-INVITE, UPDATE), session refresh (the same methods, RFC
 * 4028), DTMF digits (INFO), and hang-up (BYE).
 */
import type Srf from 'drachtio-srf';
import type { Trunk } from '#src/domain/trunk.ts';
import type { SipDetails } from '#machines/line.ts';
import { explanationIn } from '../../headers/reasons.ts';
import { isHold } from '#sip/sdp/media-offer.ts';
import { abilitiesOn, allowedBy } from './capabilities.ts';
import { holdRequests } from './held-requests.ts';
import type { Connection } from '../leg.ts';
import { dtmfMediaTypes, dtmfOf } from '../dtmf/dtmf.ts';
import type { BackgroundTasks } from '../../background-tasks.ts';
import { bodyIn, bodyProblem, descriptionIn, type Understood } from './message-body.ts';
import { Unacceptable, warningOf } from './negotiate.ts';
import { pending, refusals, type InviteRefusal } from './refusals.ts';
import { refreshedTimer } from './session-timer.ts';
import { contactInDialog } from './tls-contact.ts';

type Headers = Record<string, string>;

type Refresh = { headers: Headers; agree: () => void };

/** Refusals of requests that have no handler. */
const refused = {
  // A REFER is refused, because the other party cannot request a transfer.
  refer: { status: 603, reason: 'Decline' },
  // A NOTIFY is refused, because the gateway has no subscription (RFC 6665 section 4.1.3).
  notify: refusals.noSuchCall,
} as const satisfies Record<string, InviteRefusal>;

const notAllowed = (trunk: Trunk): InviteRefusal => ({
  status: 405,
  reason: 'Method Not Allowed',
  headers: { Allow: allowedBy(trunk) },
});

type Handlers = {
  backgroundTasks: BackgroundTasks;
  onKey: (key: string) => void;
  /** Called with each session description. `isHeld`: the far end holds the call. */
  onHold: (isHeld: boolean) => void;
  /** Called at a BYE with the BYE's reasons. */
  onLeft: (explanation: Pick<SipDetails, 'reasons' | 'callInfo'>) => void;
  /** Returns the refusal of a NOTIFY, or null to answer it with 200. Without this handler, every NOTIFY is refused. */
  onNotify?: (request: Srf.SrfRequest) => InviteRefusal | null;
  /** Answers a REFER. Without this handler, every REFER is refused. */
  onRefer?: (request: Srf.SrfRequest, response: Srf.SrfResponse) => void;
};

/**
 * Tracks which side refreshes the session. Returns the headers of the response to a request that may refresh the
 * session, and `agree`, which must be called when the request is answered with 200. A refused request refreshes no
 * session.
 */
const createRefreshing = ({ trunk, trackedLeg, endpoint, onMoved, ...connection }: Connection) => {
  let { weRefresh } = connection;
  onMoved?.((timer) => {
    weRefresh = timer.weRefresh;
  });
  return (request: Srf.SrfRequest): Refresh => {
    const { headers, ...timer } = refreshedTimer(request, weRefresh);
    return {
      headers: { Supported: 'timer', Allow: allowedBy(trunk), ...headers },
      agree() {
        trackedLeg.agreed(timer, endpoint.channel());
        weRefresh = timer.weRefresh;
      },
    };
  };
};

const sendRefusal = (response: Srf.SrfResponse, { status, reason, headers }: InviteRefusal): void =>
  response.send(status, reason, headers === undefined ? {} : { headers });

const sequenceOf = (request: Pick<Srf.SrfRequest, 'get'>): number => Number.parseInt(request.get('CSeq'), 10);

/** Session of a dialog, with the latest descriptions of both sides. */
const createSession = (
  { dialog, trackedLeg, endpoint }: Connection,
  { backgroundTasks, onHold }: Pick<Handlers, 'backgroundTasks' | 'onHold'>,
) => {
  /** Our session description, as the far end received it. */
  let ours = dialog.local.sdp;
  /** Session description of the far end. */
  let theirs = dialog.remote.sdp;
  /**
   * State of the session. `changing`: an offer of the far end is being answered. `offered`: our offer answered a
   * re-INVITE without an offer.
   */
  let state: 'settled' | 'changing' | 'offered' = 'settled';
  /** Sequence number of the INVITE that our offer answered. */
  let offeredTo: number | null = null;

  const sendOurs = (response: Srf.SrfResponse, { headers, agree }: Refresh): void => {
    response.send(200, {
      body: ours,
      headers: { ...headers, ...contactInDialog(dialog), 'Content-Type': 'application/sdp' },
    });
    agree();
  };

  /**
   * Restores the description, because drachtio-srf stores the body of every INVITE and ACK there, even of a refused
   * one.
   */
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

    /** Called when our re-INVITE has changed both descriptions. */
    moved(): void {
      ours = dialog.local.sdp;
      theirs = dialog.remote.sdp;
      onHold(isHold(theirs, ours));
    },

    /**
     * Returns why no change is possible now (RFC 3261 section 14.2, RFC 3311 section 5.2); undefined if a change is
     * possible.
     */
    obstacle(): InviteRefusal | undefined {
      if (state === 'changing') return pending.theirs();
      return state === 'offered' ? pending.ours : undefined;
    },

    modify(request: Srf.SrfRequest, offer: string, response: Srf.SrfResponse, refresh: Refresh): void {
      state = 'changing';
      backgroundTasks.add(`taking ${request.method}`, async () => {
        try {
          ours = await endpoint.modify(offer);
          sendOurs(response, refresh);
          agreed({ localSdp: ours, remoteSdp: offer });
        } catch (error) {
          // The session remains unchanged (RFC 3261 section 14.2).
          response.send(488, error instanceof Unacceptable ? { headers: warningOf(error.problem) } : {});
          if (!(error instanceof Unacceptable)) throw error;
        } finally {
          state = 'settled';
        }
      });
    },

    offer(request: Srf.SrfRequest, response: Srf.SrfResponse, refresh: Refresh): void {
      state = 'offered';
      offeredTo = sequenceOf(request);
      ours = endpoint.nextOffer(ours);
      sendOurs(response, refresh);
      // Stored before the answer, because the version of every later description must be higher.
      trackedLeg.agreed({ localSdp: ours }, endpoint.channel());
    },

    /**
     * Handles the ACK, which may contain the answer to our offer. An ACK of an earlier INVITE may arrive after our
     * offer, because drachtio-srf reports it late.
     */
    confirmed(ack: Srf.SrfRequest): void {
      restore();
      if (state !== 'offered' || sequenceOf(ack) !== offeredTo) return;
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

/** INFO packages (RFC 6086 section 4.4) with DTMF digits. */
const dtmfBodies: Understood = { types: dtmfMediaTypes, dispositions: ['info-package', 'signal', 'render'] };

/** Answers INFO. An INFO without a body is a keep-alive; an INFO with an unknown kind of body is refused. */
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
  const { dialog, trunk } = connection;
  const refreshing = createRefreshing(connection);
  const session = createSession(connection, handlers);
  connection.onMoved?.(session.moved);

  /** Returns the session change that a request asks for; `null` for a refused request. */
  const wish = (
    request: Srf.SrfRequest,
    response: Srf.SrfResponse,
  ): { offer: string | undefined; refresh: Refresh } | null => {
    session.restore();
    const offer = descriptionIn(request);
    const asksForOurs = request.method === 'INVITE';
    const obstacle = offer === undefined && !asksForOurs ? undefined : session.obstacle();
    const refusal = bodyProblem(request) ?? obstacle;
    if (refusal === undefined) return { offer, refresh: refreshing(request) };
    sendRefusal(response, refusal);
    return null;
  };

  dialog.on('modify', (request, response) => {
    const wanted = wish(request, response);
    if (wanted === null) return;
    if (wanted.offer === undefined) session.offer(request, response, wanted.refresh);
    else session.modify(request, wanted.offer, response, wanted.refresh);
  });
  dialog.on('ack', session.confirmed);
  dialog.on('update', (request, response) => {
    const wanted = wish(request, response);
    if (wanted === null) return;
    if (wanted.offer === undefined) {
      response.send(200, { headers: wanted.refresh.headers });
      wanted.refresh.agree();
    } else session.modify(request, wanted.offer, response, wanted.refresh);
  });
  dialog.on('info', (request, response) => answerInfo(request, response, handlers.onKey));
  dialog.on('options', (_request, response) => response.send(200, { headers: abilitiesOn(trunk) }));
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
      sendRefusal(response, notAllowed(trunk)),
    );
  dialog.on('destroy', (bye) => handlers.onLeft(explanationIn(bye)));
  holdRequests(dialog, false);
};
