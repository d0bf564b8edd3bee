import type { CallableNumber } from '#src/persistence/callable-numbers.ts';
import type { Vault } from '#src/persistence/vault.ts';
import type { CalledNumber } from './called-number.ts';

/** Opens the sealed secrets of a number for one call; they are sealed about the number's id. */
export const openNumber = (number: CallableNumber, vault: Pick<Vault, 'open'>): CalledNumber => {
  const { inboundAuth, outboundTokenSealed } = number;
  return {
    ...number,
    outboundToken: outboundTokenSealed === null ? null : vault.open(outboundTokenSealed, number.id),
    inboundAuth:
      inboundAuth.method === 'none'
        ? inboundAuth
        : {
            method: 'handshake',
            url: inboundAuth.url,
            secret: vault.open(inboundAuth.secretSealed, number.id),
          },
  };
};
