import { z } from 'zod';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { TriedTurn } from '#src/domain/agent-trial.ts';
import { pathOf, placeOf, type FailedRequest } from '#src/outgoing/request-advice.ts';
import { secretsOf, withoutSecretsIn } from '../without-secrets.ts';

/** A turn that needs advice. */
export type Symptoms = FailedRequest & {
  binding: AgentBinding;
  hasToken: boolean;
  /** The custom headers that were sent, in lower case. */
  sentHeaders: readonly string[];
  remarks: readonly string[];
  exchanges: TriedTurn['exchanges'];
  /** Null for a turn that did not fail, but may have been silent. */
  failure: TriedTurn['failure'];
  /** No speakable text arrived, and no other cause is known; includes chosen silence. */
  isWordless: boolean;
};

/** A sentence or two of advice; undefined if no row applies. */
export type Adviser = (symptoms: Symptoms) => string | undefined;

/** Where to enter a custom header. */
export const addHeader = (name: string): string => `add ${name} to the headers of the agent`;

const fields = z.record(z.string(), z.unknown());

/** Undefined for data other than a JSON object, including truncated JSON. */
export const jsonObject = (text: string): Record<string, unknown> | undefined => {
  try {
    return fields.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

/** The field names of a JSON object, for comparison by a person; undefined for other data. */
export const fieldNames = (text: string): string | undefined => {
  const value = jsonObject(text);
  if (value === undefined) return undefined;
  const names = Object.keys(value).slice(0, 5);
  return names.length === 0 ? 'none' : names.map((name) => `"${name.slice(0, 40)}"`).join(', ');
};

export const symptomsOf = (
  turn: Omit<TriedTurn, 'advice'>,
  { binding, bearerToken, headers }: Pick<AgentCall, 'binding' | 'bearerToken' | 'headers'>,
): Symptoms => {
  const { exchanges, failure, remarks } = turn;
  // A cancelled run gives no reason for its cancellation.
  const answers = exchanges.flatMap(({ sent, received }) =>
    received === null || pathOf(sent.url).endsWith('/cancel') ? [] : [received],
  );
  const isRefusal = failure?.kind === 'http_error' || failure?.kind === 'redirect_refused';
  const received = isRefusal ? answers.findLast(({ status }) => status >= 300) : answers.at(-1);
  const last = exchanges.at(-1);
  return {
    binding,
    ...placeOf(binding.chatUrl ?? ''),
    askedUrl: last?.sent.url,
    hasBegun: last?.received != null,
    hasToken: bearerToken !== null && bearerToken !== '',
    sentHeaders: Object.keys(headers),
    remarks,
    exchanges,
    failure,
    isWordless: failure === null || failure.kind === 'no_reply',
    status: received?.status ?? 0,
    text: received?.body.trim() ?? '',
    headers: received?.headers ?? {},
    quote: (words) => withoutSecretsIn(words, secretsOf({ bearerToken, headers })),
    names: {
      url: 'chat URL',
      server: 'agent',
      letIn: 'let the server take the bearer token of calls at this address instead.',
    },
  };
};
