/** Placing a call: an endpoint makes the offer, the INVITE goes to the trunk, the answer goes back to the endpoint. */
import type Srf from 'drachtio-srf';
import type { Logger } from 'pino';
import type { SipDetails } from '#machines/line.ts';
import { unansweredCause } from '../causes.ts';
import { hangUpDialog, noSip, type Attempt, type Outcome } from './attempt.ts';
import type { LooseEnds } from './loose-ends.ts';
import type { MediaEndpoint } from './media-endpoint.ts';
import type { MediaServer } from './media-server.ts';

export const dial = (options: {
  /** `sip:01012345678@trunk.example:5060` */
  uri: string;
  /** Of the From header. */
  from: string;
  srf: Srf;
  mediaServer: MediaServer;
  onRinging: () => void;
  looseEnds: LooseEnds;
  logger: Logger;
}): Attempt => {
  const { srf, looseEnds, logger } = options;
  let request: Srf.SrfRequest | null = null;
  let last: Srf.SrfResponse | null = null;
  let rang = false;
  let isCancelled = false;

  const details = (): SipDetails => ({
    status: last?.status ?? null,
    reason: last?.reason ?? null,
    callId: request?.get('Call-ID') ?? null,
  });

  const sendCancel = (sent: Srf.SrfRequest): void =>
    looseEnds.add('CANCEL', () => new Promise((resolve) => sent.cancel(resolve)));

  const invite = (offer: string): Promise<Srf.Dialog> =>
    srf.createUAC(
      options.uri,
      { localSdp: offer, headers: { From: options.from } },
      {
        // Called with an error and nothing else when the INVITE could not be sent; the promise rejects then, too.
        cbRequest: (_error: unknown, sent?: Srf.SrfRequest) => {
          if (sent === undefined) return;
          request = sent;
          sent.on('response', (response) => {
            if (response !== undefined) last = response;
          });
          if (isCancelled) sendCancel(sent);
        },
        cbProvisional: ({ status }) => {
          if (status < 180 || rang || isCancelled) return;
          rang = true;
          options.onRinging();
        },
      },
    );

  const failed = (error: unknown): Outcome => {
    const status = last?.status ?? 0;
    if (isCancelled) return { answered: false, cause: 'cancelled', sip: details() };
    if (last === null || status < 300) {
      logger.warn({ err: error }, 'the INVITE could not be sent');
      return { answered: false, cause: 'trunk_error', sip: details() };
    }
    const reason = last.has('Reason') ? last.get('Reason') : undefined;
    return { answered: false, cause: unansweredCause({ status, reason, rang }), sip: details() };
  };

  const talkTo = async (endpoint: MediaEndpoint): Promise<Outcome> => {
    let dialog: Srf.Dialog;
    try {
      dialog = await invite(endpoint.localSdp);
    } catch (error) {
      return failed(error);
    }
    const sip = details();
    if (!isCancelled) {
      try {
        await endpoint.modify(dialog.remote.sdp);
      } catch (error) {
        logger.warn({ err: error }, 'the answer of the far end could not be taken');
        looseEnds.add('BYE', () => hangUpDialog(dialog));
        return { answered: false, cause: 'media_error', sip };
      }
    }
    // An answer that crosses a CANCEL is a call that stands, and that nobody wants any more.
    if (isCancelled) {
      looseEnds.add('BYE', () => hangUpDialog(dialog));
      return { answered: false, cause: 'cancelled', sip };
    }
    return { answered: true, connection: { dialog, endpoint, sip } };
  };

  const run = async (): Promise<Outcome> => {
    let endpoint: MediaEndpoint;
    try {
      endpoint = await options.mediaServer.createEndpoint();
    } catch (error) {
      logger.warn({ err: error }, 'no endpoint for an outbound call');
      return { answered: false, cause: isCancelled ? 'cancelled' : 'media_error', sip: noSip };
    }
    const outcome: Outcome = isCancelled
      ? { answered: false, cause: 'cancelled', sip: noSip }
      : await talkTo(endpoint);
    if (!outcome.answered) looseEnds.add('destroying an endpoint', () => endpoint.destroy());
    return outcome;
  };

  return {
    outcome: run(),
    cancel() {
      if (isCancelled) return;
      isCancelled = true;
      if (request !== null) sendCancel(request);
    },
  };
};
