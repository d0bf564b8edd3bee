import type * as z from 'zod';
import type { NumberRecord } from '#src/administration/administer-numbers.ts';
import type { Directory } from '#src/administration/directory.ts';
import type { Decoded } from '../http/codec.ts';
import type { number as numberSchema } from './number-schema.ts';

/** Adds the agents to a number, and whether the number has a key. */
export const presentNumber = async (
  directory: Pick<Directory, 'detailsOf'>,
  number: NumberRecord,
): Promise<Decoded<z.output<typeof numberSchema>>> => ({
  ...(await directory.detailsOf(number)),
  inboundAuth: { method: number.inboundAuthMethod, url: number.inboundAuthUrl },
});
