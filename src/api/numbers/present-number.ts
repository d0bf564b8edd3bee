import type * as z from 'zod';
import { detailsOf, type NumberRecord } from '#src/administration/administer-numbers.ts';
import type { ApiServices } from '../api-services.ts';
import type { Decoded } from '../codec.ts';
import type { number as numberSchema } from './number-schema.ts';

/** Adds the number's agents, and whether it has a key. */
export const presentNumber = async (
  services: Pick<ApiServices, 'database'>,
  number: NumberRecord,
): Promise<Decoded<z.output<typeof numberSchema>>> => ({
  ...(await detailsOf(services, number)),
  inboundAuth: { method: number.inboundAuthMethod, url: number.inboundAuthUrl },
});
