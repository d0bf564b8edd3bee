import type * as z from 'zod';
import type { NumberRecord } from '#src/administration/administer-numbers.ts';
import type { Directory } from '#src/administration/directory.ts';
import type { Decoded } from '../http/codec.ts';
import type { number as numberSchema } from './number-schema.ts';

type PresentedNumber = Decoded<z.output<typeof numberSchema>>;

type DetailsReader = Pick<Directory, 'readDetails'>;

const readPresented = async (
  directory: DetailsReader,
  numbers: readonly NumberRecord[],
): Promise<(number: NumberRecord) => PresentedNumber> => {
  const detailsOf = await directory.readDetails(numbers);
  return (number) => ({
    ...detailsOf(number),
    inboundAuth: { method: number.inboundAuthMethod, url: number.inboundAuthUrl },
  });
};

/** Adds to a number its agents, its last call, and whether it has a key. */
export const presentNumber = async (
  directory: DetailsReader,
  number: NumberRecord,
): Promise<PresentedNumber> => (await readPresented(directory, [number]))(number);

/** Presents numbers as `presentNumber` does, with the statements of one. */
export const presentNumbers = async (
  directory: DetailsReader,
  numbers: readonly NumberRecord[],
): Promise<PresentedNumber[]> => {
  const present = await readPresented(directory, numbers);
  return numbers.map((number) => present(number));
};
