/**
 * Requests of the far end in a call that stands: to hold its sound or to move it elsewhere (re-INVITE, UPDATE), to know
 * that we are still there (the same, RFC 4028), to take keys (INFO), to end.
 */
import type Srf from 'drachtio-srf';
import { isHold } from '../../trunks/media-offer.ts';
import { abilities, allowed, holdRequests, type Connection } from './attempt.ts';
import { dtmfMediaTypes, dtmfOf } from './dtmf.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { Unacceptable, warningOf } from './negotiate.ts';
import { refreshedTimer } from './session-timer.ts';

type Headers = Record<string, string>;

const refusals: Readonly<
  Record<'refer' | 'message' | 'publish' | 'notify', { status: number; headers?: Headers }>
> = {
  // Nobody is transferred because the other party says so.
  refer: { status: 603 },
  message: { status: 405, headers: { Allow: allowed } },
  publish: { status: 405, headers: { Allow: allowed } },
  // We have subscribed to nothing (RFC 6665 section 4.1.3).
  notify: { status: 481 },
};

type Handlers = {
  backgroundTasks: BackgroundTasks;
  onKey: (key: string) => void;
  /** Whether the far end holds the call; said with each session description. */
  onHold: (isHeld: boolean) => void;
  onLeft: () => void;
};

/**
 * Who keeps the session alive. To be called once for each request that may refresh it; returns the headers of the
 * answer.
 */
const createRefreshing = ({ trackedLeg, endpoint, ...connection }: Connection) => {
  let { weRefresh } = connection;
  return (request: Srf.SrfRequest): Headers => {
    const { headers, ...timer } = refreshedTimer(request, weRefresh);
    trackedLeg.agreed(timer, endpoint.channel());
    weRefresh = timer.weRefresh;
    return { Supported: 'timer', Allow: allowed, ...headers };
  };
};

/** The session of a dialog as it was described last, by either side. */
const createSession = (
  { dialog, trackedLeg, endpoint }: Connection,
  { backgroundTasks, onHold }: Pick<Handlers, 'backgroundTasks' | 'onHold'>,
) => {
  /** Our session description as the far end knows it. */
  let ours = dialog.local.sdp;
  /** We have made an offer, because a re-INVITE came without one; its answer comes with ACK. */
  let hasOffered = false;

  const sendOurs = (response: Srf.SrfResponse, headers: Headers): void =>
    response.send(200, { body: ours, headers: { ...headers, 'Content-Type': 'application/sdp' } });

  return {
    modify: (request: Srf.SrfRequest, response: Srf.SrfResponse, headers: Headers): void =>
      backgroundTasks.add(`taking ${request.method}`, async () => {
        try {
          ours = await endpoint.modify(request.body);
          sendOurs(response, headers);
          trackedLeg.agreed({ localSdp: ours, remoteSdp: request.body }, endpoint.channel());
          onHold(isHold(request.body));
        } catch (error) {
          // The call stays as it was (RFC 3261 section 14.2).
          response.send(488, error instanceof Unacceptable ? { headers: warningOf(error.message) } : {});
          if (!(error instanceof Unacceptable)) throw error;
        }
      }),

    offer(response: Srf.SrfResponse, headers: Headers): void {
      hasOffered = true;
      sendOurs(response, headers);
    },

    /** The body of an ACK: the answer to our offer, if there is one. */
    confirmed(body: string): void {
      if (!hasOffered) return;
      hasOffered = false;
      if (body === '') return;
      backgroundTasks.add('taking the answer of an ACK', async () => {
        await endpoint.takeAnswer(body);
        trackedLeg.agreed({ remoteSdp: body }, endpoint.channel());
        onHold(isHold(body));
      });
    },
  };
};

const answerInfo = (
  request: Srf.SrfRequest,
  response: Srf.SrfResponse,
  onKey: (key: string) => void,
): void => {
  const contentType = request.has('Content-Type') ? request.get('Content-Type') : '';
  const key = dtmfOf(contentType, request.body);
  // Without a body it only asks whether we are there; what a body of an unknown kind asks for cannot be done.
  if (key === undefined && request.body !== '')
    return response.send(415, { headers: { Accept: dtmfMediaTypes.join(', ') } });
  response.send(200);
  if (typeof key === 'string') onKey(key);
  return undefined;
};

export const answerInDialogRequests = (connection: Connection, handlers: Handlers): void => {
  const { dialog } = connection;
  const refresh = createRefreshing(connection);
  const session = createSession(connection, handlers);

  dialog.on('modify', (request, response) => {
    const headers = refresh(request);
    if (request.body === '') session.offer(response, headers);
    else session.modify(request, response, headers);
  });
  dialog.on('ack', ({ body }) => session.confirmed(body));
  dialog.on('update', (request, response) => {
    const headers = refresh(request);
    if (request.body === '') response.send(200, { headers });
    else session.modify(request, response, headers);
  });
  dialog.on('info', (request, response) => answerInfo(request, response, handlers.onKey));
  dialog.on('options', (_request, response) => response.send(200, { headers: abilities }));
  for (const [event, { status, headers }] of Object.entries(refusals))
    dialog.addListener(event, (_request: Srf.SrfRequest, response: Srf.SrfResponse) =>
      response.send(status, headers === undefined ? {} : { headers }),
    );
  dialog.on('destroy', handlers.onLeft);
  holdRequests(dialog, false);
};
