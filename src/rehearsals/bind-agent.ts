/** Binds a suite's agent to its number and restores the previous binding afterwards. */
import type { Client } from '#src/client/client.ts';
import type { PhoneNumber } from '#src/client/schema.ts';
import type { Suite } from './suite-schema.ts';

const directions = ['inbound', 'outbound'] as const;

/** The number cannot be used for the suite. The message is a sentence for the user. */
export class NumberError extends Error {
  override readonly name = 'NumberError';
}

/**
 * Resolves to a function that restores the bindings. Bindings with a token are rejected, because tokens cannot be read
 * back.
 */
export const bindAgent = async (
  { id, agents }: Pick<PhoneNumber, 'id' | 'agents'>,
  agent: NonNullable<Suite['agent']>,
  admin: Pick<Client, 'putAgent'>,
): Promise<() => Promise<void>> => {
  if (agents.outbound.token_configured)
    throw new NumberError(
      'The agent of this number has a token, which could not be put back: use another number',
    );
  const body = agent === 'builtin' ? { agent } : { agent: 'endpoint' as const, ...agent };
  for (const direction of directions) await admin.putAgent({ id, direction, body });
  return async () => {
    for (const direction of directions) {
      const { token_configured: _token, ...before } = agents[direction];
      await admin.putAgent({ id, direction, body: before });
    }
  };
};
