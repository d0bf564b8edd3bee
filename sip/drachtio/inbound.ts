/**
 * Calls that come in: each INVITE is offered as an arrival and refused before it is answered, or waits until its line
 * is opened.
 */
import { randomUUID } from 'node:crypto';
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { Clock } from '#src/domain/clock.ts';
import type { Country } from '#src/domain/phone-number.ts';
import type { ArrivalVerdict, OnArrival } from '../lines.ts';
import { calledNumber, callingNumber } from '../numbers.ts';
import { noSip, hangUpDialog, type Attempt, type Outcome } from './attempt.ts';
import type { LooseEnds } from './loose-ends.ts';
import type { MediaServer } from './media-server.ts';

/** A caller that was let in and whose line is not opened within this time is refused. */
const patienceMs = 10_000;

type Refusal = { status: number; reason: string; headers?: Record<string, string> };

const refusals: Readonly<Record<Extract<ArrivalVerdict, { accepted: false }>['because'], Refusal>> = {
  unknown_number: { status: 404, reason: 'Not Found' },
  no_agent_endpoint: { status: 480, reason: 'Temporarily Unavailable' },
  caller_rejected: { status: 603, reason: 'Decline' },
  over_capacity: { status: 486, reason: 'Busy Here' },
  // The trunk may try another gateway.
  draining: { status: 503, reason: 'Service Unavailable', headers: { 'Retry-After': '60' } },
};

const unavailable: Refusal = { status: 503, reason: 'Service Unavailable', headers: { 'Retry-After': '10' } };
const failed: Refusal = { status: 500, reason: 'Server Internal Error' };
const notAcceptable: Refusal = { status: 488, reason: 'Not Acceptable Here' };

type Caller = {
  request: Srf.SrfRequest;
  response: Srf.SrfResponse;
  timer: unknown;
  /** It has hung up before it was answered. */
  isGone: boolean;
};

export const createInbound = (options: {
  mediaServer: MediaServer;
  country: Country;
  clock: Clock;
  looseEnds: LooseEnds;
  logger: Logger;
}) => {
  const { mediaServer, country, clock, looseEnds, logger } = options;
  const waiting = new Map<string, Caller>();
  let onArrival: OnArrival | null = null;

  const refuse = ({ response }: Pick<Caller, 'response'>, { status, reason, headers }: Refusal): void => {
    if (response.finalResponseSent) return;
    try {
      response.send(status, reason, headers === undefined ? {} : { headers });
    } catch (error) {
      logger.debug({ err: error }, 'an INVITE could not be refused');
    }
  };

  /** Takes the caller out of the waiting room. */
  const take = (callId: string): Caller | undefined => {
    const caller = waiting.get(callId);
    waiting.delete(callId);
    clock.clearTimeout(caller?.timer);
    return caller;
  };

  const refuseWaiting = (callId: string, refusal: Refusal): void => {
    const caller = take(callId);
    if (caller !== undefined && !caller.isGone) refuse(caller, refusal);
  };

  const fromHeader = (request: Srf.SrfRequest): string =>
    request.get(request.has('P-Asserted-Identity') ? 'P-Asserted-Identity' : 'From');

  /** The URI within a header such as `"A. Caller" <sip:010…@trunk.example>;tag=1`. */
  const uriOf = (header: string): string => /<([^>]+)>/.exec(header)?.[1] ?? header;

  const offer = async (callId: string, arrival: Parameters<OnArrival>[0], ask: OnArrival): Promise<void> => {
    try {
      const verdict = await ask(arrival);
      if (verdict.accepted) return;
      logger.info({ call_id: callId, because: verdict.because }, 'a caller was refused');
      refuseWaiting(callId, refusals[verdict.because]);
    } catch (error) {
      logger.error({ call_id: callId, err: error }, 'it could not be decided whether a caller is let in');
      refuseWaiting(callId, failed);
    }
  };

  return {
    open(ask: OnArrival): void {
      onArrival = ask;
    },

    /** For each INVITE that begins a call. */
    receive(request: Srf.SrfRequest, response: Srf.SrfResponse): void {
      if (!request.isNewInvite)
        return refuse({ response }, { status: 481, reason: 'Call/Transaction Does Not Exist' });
      if (onArrival === null || mediaServer.problem() !== null) return refuse({ response }, unavailable);
      const to = calledNumber(request.uri, country);
      if (to === undefined) return refuse({ response }, refusals.unknown_number);
      // An offer that comes with the ACK is for a later day.
      if (!/^m=audio /m.test(request.body)) return refuse({ response }, notAcceptable);

      const callId = randomUUID();
      const timer = clock.setTimeout(() => {
        logger.warn({ call_id: callId }, 'a caller was let in but never answered');
        refuseWaiting(callId, { status: 480, reason: 'Temporarily Unavailable' });
      }, patienceMs);
      const caller: Caller = { request, response, timer, isGone: false };
      // drachtio-server has answered the CANCEL and refused the INVITE with 487 by itself.
      request.on('cancel', () => {
        caller.isGone = true;
      });
      waiting.set(callId, caller);
      const from = callingNumber(uriOf(fromHeader(request)), country);
      void offer(callId, { callId, from, to, at: clock.now() }, onArrival);
      return undefined;
    },

    /** Answers the caller that waits under this id. */
    answer(callId: string): Attempt {
      const caller = take(callId);
      let isCancelled = false;

      const unanswered = (cause: 'cancelled' | 'media_error', refusal: Refusal): Outcome => {
        if (caller === undefined) return { answered: false, cause, sip: noSip };
        const sip = { ...noSip, callId: caller.request.get('Call-ID') };
        if (caller.isGone)
          return {
            answered: false,
            cause: 'cancelled',
            sip: { ...sip, status: 487, reason: 'Request Terminated' },
          };
        refuse(caller, refusal);
        return { answered: false, cause, sip: { ...sip, status: refusal.status, reason: refusal.reason } };
      };

      const run = async (): Promise<Outcome> => {
        if (caller === undefined || caller.isGone) return unanswered('cancelled', unavailable);
        const { request, response } = caller;
        let endpoint;
        try {
          endpoint = await mediaServer.createEndpoint(request.body);
        } catch (error) {
          logger.warn({ call_id: callId, err: error }, 'no endpoint for an inbound call');
          return unanswered('media_error', notAcceptable);
        }
        const destroy = (): void => looseEnds.add('destroying an endpoint', () => endpoint.destroy());
        if (caller.isGone || isCancelled) {
          destroy();
          return unanswered('cancelled', refusals.no_agent_endpoint);
        }
        try {
          const dialog = await request.srf.createUAS(request, response, { localSdp: endpoint.localSdp });
          const sip = { status: 200, reason: 'OK', callId: request.get('Call-ID') };
          if (!isCancelled) return { answered: true, connection: { dialog, endpoint, sip } };
          looseEnds.add('BYE', () => hangUpDialog(dialog));
        } catch (error) {
          logger.debug({ call_id: callId, err: error }, 'an inbound call could not be answered');
        }
        destroy();
        return unanswered('cancelled', unavailable);
      };

      return {
        outcome: run(),
        cancel() {
          isCancelled = true;
        },
      };
    },

    close(): void {
      onArrival = null;
      for (const callId of waiting.keys()) refuseWaiting(callId, refusals.draining);
    },
  };
};

export type Inbound = ReturnType<typeof createInbound>;
