import { z } from 'zod';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import {
  pathOf,
  placeOf,
  type FailedRequest,
  type ServerAdviser,
} from '#src/outgoing/advice/failed-request.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import { secretsOf, withoutSecretsIn } from '../without-secrets.ts';
import type { TriedTurn } from '#src/domain/agent-trial.ts';

/** A problematic turn, as far as advice requires it. */
export type Trouble = FailedRequest & {
  binding: AgentBinding;
  hasToken: boolean;
  /** The custom headers that were sent, in lower case. */
  sentHeaders: readonly string[];
  turn: Omit<TriedTurn, 'advice'>;
  /** Null for a turn that did not fail, but may have been silent. */
  failure: TriedTurn['failure'];
};

/** No speakable text arrived, and no other cause is known; includes chosen silence. */
export const isWordless = ({ failure }: Trouble): boolean => failure === null || failure.kind === 'no_reply';

/** Where to enter a custom header. */
export const addHeader = (name: string): string => `add ${name} to the headers of the agent`;

/** A sentence or two of advice; undefined if the rule does not apply. */
export type Adviser = (trouble: Trouble) => string | undefined;

/** Phrase for any server of a customer. */
export const wordsOf =
  (adviser: ServerAdviser): Adviser =>
  (trouble) =>
    adviser(trouble)?.words;

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

export const troubleOf = (
  turn: Omit<TriedTurn, 'advice'>,
  { binding, bearerToken, headers }: Pick<AgentCall, 'binding' | 'bearerToken' | 'headers'>,
): Trouble => {
  // A cancelled run gives no reason for its cancellation.
  const answers = turn.exchanges.filter(
    ({ sent, received }) => received !== null && !pathOf(sent.url).endsWith('/cancel'),
  );
  const isRefusal = turn.failure?.kind === 'http_error' || turn.failure?.kind === 'redirect_refused';
  const received =
    (isRefusal ? answers.findLast((answer) => (answer.received?.status ?? 0) >= 300) : answers.at(-1))
      ?.received ?? null;
  const last = turn.exchanges.at(-1);
  return {
    binding,
    ...placeOf(binding.chatUrl ?? ''),
    askedUrl: last?.sent.url,
    hasBegun: last?.received != null,
    hasToken: bearerToken !== null && bearerToken !== '',
    sentHeaders: Object.keys(headers),
    turn,
    failure: turn.failure,
    status: received?.status ?? null,
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
