/**
 * Encrypts the media keys in the session descriptions of calls in progress (`a=crypto`, RFC 4568) for the database,
 * bound to the leg's id. The rest of a description is not secret.
 */
import type { SipLeg, StandingDialog } from '#src/domain/sip-leg.ts';
import type { Sealing } from '../database/sealing.ts';

const keys = /(?<=inline:)[^\s;]+/g;

/**
 * Matches the format of `Sealing.seal`. A media key is base64 and contains no dot, so sealed and unsealed keys can be
 * distinguished.
 */
export const sealedKeys = /(?<=inline:)v1(?:\.[\w-]+){3}/g;

const inDescriptions = (leg: SipLeg, change: (description: string) => string): SipLeg => {
  const { dialog } = leg;
  if (dialog === null) return leg;
  const changed: StandingDialog = {
    ...dialog,
    localSdp: change(dialog.localSdp),
    remoteSdp: change(dialog.remoteSdp),
  };
  return { ...leg, dialog: changed };
};

export const sealLeg = (sealing: Sealing, id: string, leg: SipLeg): SipLeg =>
  inDescriptions(leg, (description) => description.replace(keys, (key) => sealing.seal(key, id)));

/**
 * Opens the keys of a leg. Keys that an older gateway stored unsealed are returned unchanged. A leg whose keys cannot
 * be opened with any master key can only be hung up.
 */
export const openLeg = (sealing: Sealing, id: string, leg: SipLeg): SipLeg => {
  try {
    return inDescriptions(leg, (description) =>
      description.replace(sealedKeys, (sealed) => sealing.open(sealed, id)),
    );
  } catch {
    return { ...leg, dialog: null };
  }
};
