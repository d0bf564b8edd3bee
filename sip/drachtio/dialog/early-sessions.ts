/**
 * Sessions of the early dialogs of an INVITE, one for each callee of a fork, until one callee answers. A session
 * contains early session descriptions and changes by UPDATE (RFC 3311). The audio of a call begins with the answer;
 * until then, a description is only stored, and a change is answered without sending audio.
 */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import { headerOf } from '../../headers/header-values.ts';
import { tagIn } from '../../headers/name-addresses.ts';
import type { MediaEndpoint } from '#sip/audio/media-endpoint.ts';
import { within, type BackgroundTasks } from '../../background-tasks.ts';
import { allowed } from './capabilities.ts';
import { bodyProblem, descriptionIn } from './message-body.ts';
import { Unacceptable } from './negotiate.ts';
import { notAcceptable, pending, refusals, refuse, type InviteRefusal } from './refusals.ts';

/** Timeout for the media server to answer an offer. */
const answerMs = 5_000;

/**
 * An early session. `remoteSdp` is `null` before the callee has sent a description. `localSdp` is our answer to the
 * callee's last change.
 */
type EarlySession = { remoteSdp: string | null; localSdp: string | null };

export type Session = { remoteSdp: string; localSdp: string | null };

export const createEarlySessions = (options: {
  /** Endpoint of the call, which applies the terms of the call's trunk. */
  endpoint: Pick<MediaEndpoint, 'answerEarly'>;
  clock: Clock;
  backgroundTasks: BackgroundTasks;
  logger: Logger;
}) => {
  const { clock, backgroundTasks, logger } = options;
  /** Sessions by the tag of the callee. */
  const sessions = new Map<string, EarlySession>();
  let isOver = false;
  let changing: Promise<void> | null = null;

  const change = async (session: EarlySession, offer: string, response: Srf.SrfResponse): Promise<void> => {
    try {
      const answering = options.endpoint.answerEarly(offer);
      const localSdp = await within(clock, answerMs, 'Answering an UPDATE', answering);
      Object.assign(session, { remoteSdp: offer, localSdp });
      response.send(200, {
        body: localSdp,
        headers: { Allow: allowed, 'Content-Type': 'application/sdp' },
      });
    } catch (error) {
      logger.warn({ err: error }, 'refused an UPDATE before the answer of its call');
      // The session remains unchanged.
      const why = 'The media server cannot take this offer';
      refuse(response, notAcceptable(error instanceof Unacceptable ? error.problem : why), logger);
    } finally {
      changing = null;
    }
  };

  const refusalOf = (
    request: Srf.SrfRequest,
    session: EarlySession | undefined,
  ): InviteRefusal | undefined => {
    if (session === undefined || isOver) return refusals.noSuchCall;
    const problem = bodyProblem(request);
    if (problem !== undefined || descriptionIn(request) === undefined) return problem;
    if (session.remoteSdp === null) return pending.ours;
    return changing === null ? undefined : pending.theirs();
  };

  return {
    /** Handles a provisional response. The response's description is valid until an UPDATE changes the session. */
    provisional(response: Srf.SrfResponse): void {
      const tag = tagIn(headerOf(response, 'To'));
      if (tag === '') return;
      const session = sessions.get(tag) ?? { remoteSdp: null, localSdp: null };
      sessions.set(tag, session);
      if (session.localSdp === null) session.remoteSdp = descriptionIn(response) ?? session.remoteSdp;
    },

    /** Handles an UPDATE of a callee. */
    update(request: Srf.SrfRequest, response: Srf.SrfResponse): void {
      const session = sessions.get(tagIn(headerOf(request, 'From')));
      const refusal = refusalOf(request, session);
      if (refusal !== undefined || session === undefined)
        return refuse(response, refusal ?? refusals.noSuchCall, logger);
      const offer = descriptionIn(request);
      if (offer === undefined) return response.send(200, { headers: { Allow: allowed } });
      changing = change(session, offer, response);
      return backgroundTasks.add('answering UPDATE', () => changing ?? Promise.resolve());
    },

    /** Called when the INVITE has a final response. The sessions are final once the promise has resolved. */
    async finish(): Promise<void> {
      isOver = true;
      await changing;
    },

    /**
     * Returns the session of the callee that answered. The final response contains no description if a reliable
     * provisional response had one (RFC 3262 section 5), and an outdated description if the session has changed since.
     */
    answered(tag: string, answer: string | undefined): Session {
      const { remoteSdp, localSdp } = sessions.get(tag) ?? { remoteSdp: null, localSdp: null };
      return { remoteSdp: (localSdp === null ? answer : null) ?? remoteSdp ?? '', localSdp };
    },
  };
};

export type EarlySessions = ReturnType<typeof createEarlySessions>;
