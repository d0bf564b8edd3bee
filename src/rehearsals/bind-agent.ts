/** Binds the agent of a suite to the suite's number and restores the previous binding afterwards. */
import type { Client } from '#src/client/client.ts';
import type { AgentBinding, PhoneNumber } from '#src/client/schema.ts';
import type { Suite } from './suite-schema.ts';

const directions = ['inbound', 'outbound'] as const;

/** Thrown when the number cannot be used for the suite. The message is a sentence for the user. */
export class NumberError extends Error {
  override readonly name = 'NumberError';
}

/** Whether the binding has stored secrets, which are sent to whichever endpoint the binding names. */
const hasSecrets = ({ token_configured: hasToken, headers }: AgentBinding): boolean =>
  hasToken || Object.keys(headers).length > 0;

/**
 * Binds the suite's agent. Resolves to a function that restores the bindings. Bindings with a token or headers are
 * rejected, because the suite's agent would receive these secrets.
 */
export const bindAgent = async (
  { id, agents }: Pick<PhoneNumber, 'id' | 'agents'>,
  agent: NonNullable<Suite['agent']>,
  admin: Pick<Client, 'putAgent'>,
): Promise<() => Promise<void>> => {
  if (directions.some((direction) => hasSecrets(agents[direction])))
    throw new NumberError(
      'The agent of this number has a token or headers, which the agent of the suite would get: use another number',
    );
  const body = agent === 'builtin' ? { agent } : { agent: 'endpoint' as const, ...agent };
  for (const direction of directions) await admin.putAgent({ id, direction, body });
  return async () => {
    for (const direction of directions) {
      const { token_configured: _token, headers: _headers, ...before } = agents[direction];
      await admin.putAgent({ id, direction, body: before });
    }
  };
};
