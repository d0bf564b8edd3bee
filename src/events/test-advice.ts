/** Advice for a test event that was not accepted: the texts of `src/outgoing/advice` and those for event receivers. */
import type { Exchange } from '#src/domain/agent-trial.ts';
import type { ServerAdvice } from '#src/domain/server-advice.ts';
import { connectionAdvice } from '#src/outgoing/advice/failed-connection.ts';
import {
  advice,
  firstAdvice,
  placeOf,
  type FailedRequest,
  type ServerAdviser,
} from '#src/outgoing/advice/failed-request.ts';
import { protectionAdvice, statusAdvice, tlsPortAdvice } from '#src/outgoing/advice/http-status.ts';
import type { EndpointFailure } from '#src/outgoing/endpoint-failure.ts';

const openPath =
  'Events carry a signature (Standard Webhooks) and no token: let the server check that with the signing secret, and take this path without signing in.';

const notLetIn: ServerAdviser = ({ status }) => {
  if (status === 401) {
    return advice('unauthorized', `The server wants whoever asks to sign in (HTTP 401). ${openPath}`);
  }
  return status === 403
    ? advice(
        'forbidden',
        `The server does not let this request in (HTTP 403). ${openPath} If it checks the signature already, compare its signing secret and its clock.`,
      )
    : undefined;
};

/** Appended to every text with a cause. */
const unexplained: ServerAdviser = ({ status }) =>
  status === null
    ? undefined
    : advice(
        'refused',
        `The server refuses the event (HTTP ${status}). It takes one by any status from 200 to 299; its own log should say why it did not.`,
      );

const adviser = firstAdvice(
  connectionAdvice,
  protectionAdvice,
  tlsPortAdvice,
  notLetIn,
  statusAdvice,
  unexplained,
);

export const testAdvice = ({
  url,
  failure,
  exchange,
  timeoutMs,
}: {
  url: string;
  /** Error of a request without a response; undefined if there was a response or a timeout. */
  failure: EndpointFailure | undefined;
  exchange: Exchange | undefined;
  timeoutMs: number;
}): ServerAdvice => {
  const received = exchange?.received ?? null;
  const request: FailedRequest = {
    ...placeOf(url),
    askedUrl: url,
    failure: failure === undefined ? null : { kind: failure.failure, detail: failure.message },
    hasBegun: received !== null,
    status: received?.status ?? null,
    text: received?.body.trim() ?? '',
    headers: received?.headers ?? {},
    quote: (words) => words,
    names: {
      url: 'URL',
      server: 'receiver',
      letIn: 'let the server take events at this address without it.',
    },
  };
  return (
    adviser(request) ??
    (failure === undefined
      ? advice(
          'no_answer_in_time',
          `The server took the request and did not answer within ${timeoutMs / 1_000} s. Let it answer at once, and work on the event afterwards.`,
        )
      : advice('connection_broken', 'The answer cannot be read. The log of the server should say why.'))
  );
};
