import type * as z from 'zod';
import { agentBindingsOf } from '#src/persistence/agent-bindings.ts';
import { findNumberKey } from '#src/persistence/number-keys.ts';
import type { NumberRecord } from '#src/persistence/numbers.ts';
import type { ApiServices } from '../api-services.ts';
import type { Decoded } from '../codec.ts';
import type { number as numberSchema } from './number-schema.ts';

/** With its agents, and whether it has a key. */
export const presentNumber = async (
  { database }: Pick<ApiServices, 'database'>,
  number: NumberRecord,
): Promise<Decoded<z.output<typeof numberSchema>>> => {
  const [agents, key] = await Promise.all([
    agentBindingsOf(database, number.id),
    findNumberKey(database, number.id),
  ]);
  return {
    ...number,
    agents,
    inboundAuth: { method: number.inboundAuthMethod, url: number.inboundAuthUrl },
    key: key === undefined ? null : { issuedAt: key.issuedAt, recoverable: key.keySealed !== null },
  };
};
