import type { CallableNumber } from '#src/persistence/callable-numbers.ts';
import type { Sealing } from '#src/persistence/sealing.ts';
import type { CalledNumber } from './called-number.ts';

/** Opens the sealed secrets of a number for one call; they are sealed about the number's id. */
export const openNumber = (number: CallableNumber, sealing: Pick<Sealing, 'open'>): CalledNumber => {
  const { inboundAuth, outboundTokenSealed } = number;
  return {
    ...number,
    outboundToken: outboundTokenSealed === null ? null : sealing.open(outboundTokenSealed, number.id),
    inboundAuth:
      inboundAuth.method === 'none'
        ? inboundAuth
        : {
            method: 'handshake',
            url: inboundAuth.url,
            secret: sealing.open(inboundAuth.secretSealed, number.id),
          },
  };
};
