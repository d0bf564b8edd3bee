/** Advice for the owner of an endpoint that did not accept an event, a test event included. */
import type { ServerAdvice } from '#src/domain/server-advice.ts';
import type { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';
import {
  connectionTrouble,
  placeOf,
  protectionTrouble,
  requestAdvice,
  statusTrouble,
  tlsPortTrouble,
  type FailedRequest,
} from '#src/outgoing/request-advice.ts';

const openPath =
  'Events carry a signature (Standard Webhooks) and no token: let the server check that with the signing secret, and take this path without signing in.';

/** Head of a response and the beginning of its body. */
export type ReceivedResponse = { status: number; headers: Readonly<Record<string, string>>; body: string };

/** Returns advice on an event that was not accepted. */
export const deliveryAdvice = ({
  url,
  failure,
  received,
  timeoutMs,
}: {
  url: string;
  /** Failure of a request without a response; undefined if there was a response or a time-out. */
  failure: EndpointFailure | undefined;
  /** Null without a response. */
  received: ReceivedResponse | null;
  timeoutMs: number;
}): ServerAdvice => {
  const status = received?.status ?? 0;
  const request: FailedRequest = {
    ...placeOf(url),
    askedUrl: url,
    failure: failure === undefined ? null : { kind: failure.failure, detail: failure.message },
    hasBegun: received !== null,
    status,
    text: received?.body.trim() ?? '',
    headers: received?.headers ?? {},
    quote: (words) => words,
    names: {
      url: 'URL',
      server: 'receiver',
      letIn: 'let the server take events at this address without it.',
    },
  };
  const beforeReceiver = connectionTrouble(request) ?? protectionTrouble(request) ?? tlsPortTrouble(request);
  if (beforeReceiver !== undefined) return requestAdvice(beforeReceiver, request);
  if (status === 401)
    return { code: 'unauthorized', words: `The server wants a login (HTTP 401). ${openPath}` };
  if (status === 403)
    return {
      code: 'forbidden',
      words: `The server does not let this request in (HTTP 403). ${openPath} If it checks the signature already, compare its signing secret and its clock.`,
    };
  const byStatus = statusTrouble(request);
  if (byStatus !== undefined) return requestAdvice(byStatus, request);
  if (status !== 0)
    return {
      code: 'refused',
      words: `The server refuses the event (HTTP ${status}). It takes one by any status from 200 to 299; its own log should say why it did not.`,
    };
  return failure === undefined
    ? {
        code: 'no_answer_in_time',
        words: `The server took the request and did not answer within ${timeoutMs / 1_000} s. Let it answer at once, and work on the event afterwards.`,
      }
    : {
        code: 'connection_broken',
        words: 'The answer cannot be read. The log of the server should say why.',
      };
};
