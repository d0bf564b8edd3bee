/** Has the agent of a suite speak for its number, and puts back who spoke before. */
import type { Client } from '#src/client/client.ts';
import type { PhoneNumber } from '#src/client/schema.ts';
import type { Suite } from './suite-schema.ts';

const directions = ['inbound', 'outbound'] as const;

/** The number cannot be used for the suite. Its message is a plain sentence. */
export class NumberError extends Error {
  override readonly name = 'NumberError';
}

/** Resolves to what puts the former agents back. A token could not be put back: it is never shown. */
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
