import { mask } from '#src/outgoing/observed-client.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { TransferWanted } from '#machines/transfer.ts';
import type { TriedTurn } from '#src/domain/agent-trial.ts';

/**
 * Minimum number of characters of a secret. A shorter header is a setting, such as "true", which occurs in words by
 * chance.
 */
const shortestSecret = 8;

/** Returns the values that are sent to an endpoint and must not appear in a report. */
export const secretsOf = ({ bearerToken, headers }: Pick<AgentCall, 'bearerToken' | 'headers'>): string[] => {
  const sent = Object.values(headers).filter((value) => value.length >= shortestSecret);
  return bearerToken === null || bearerToken === '' ? sent : [bearerToken, ...sent];
};

/** Returns the forms of a secret in text, in JSON and in a URL. */
const formsOf = (secret: string): string[] => [
  ...new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    secret.replaceAll(/[ "#<>]/g, encodeURIComponent),
  ]),
];

/** Masks the remaining part of a secret if the text was cut within it. */
const withoutCutSecret = (text: string, secret: string): string => {
  for (let length = Math.min(secret.length, text.length); length >= shortestSecret; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + mask;
  return text;
};

/** Secrets are masked from the longest to the shortest, because one may contain another. */
const hiding = (secrets: readonly string[]): ((text: string) => string) => {
  const forms = secrets.flatMap(formsOf).toSorted((one, other) => other.length - one.length);
  return (text) =>
    forms.reduce((masked, secret) => withoutCutSecret(masked.replaceAll(secret, mask), secret), text);
};

export const withoutSecretsIn = (text: string, secrets: readonly string[]): string => hiding(secrets)(text);

const withHidden = (transfer: TransferWanted, hide: (text: string) => string): TransferWanted => ({
  ...transfer,
  say: transfer.say && hide(transfer.say),
  briefing: transfer.briefing && hide(transfer.briefing),
});

/** Masks secrets that the endpoint repeats. The gateway's own words are unchanged. */
export const withoutSecrets = (turn: TriedTurn, secrets: readonly string[]): TriedTurn => {
  if (secrets.length === 0) return turn;
  const hide = hiding(secrets);
  return {
    ...turn,
    exchanges: turn.exchanges.map(({ received, ...others }) => ({
      ...others,
      received: received && {
        ...received,
        headers: Object.fromEntries(
          Object.entries(received.headers).map(([name, value]) => [name, hide(value)]),
        ),
        body: hide(received.body),
      },
    })),
    spoken: turn.spoken.map(({ text, atMs }) => ({ text: hide(text), atMs })),
    controls: turn.controls.map((control) =>
      control.act === 'transfer' ? { ...control, transfer: withHidden(control.transfer, hide) } : control,
    ),
    remarks: turn.remarks.map(hide),
    failure: turn.failure && {
      ...turn.failure,
      serverSays: turn.failure.serverSays && hide(turn.failure.serverSays),
    },
  };
};
