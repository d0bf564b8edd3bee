/**
 * Media encryption keys in the session descriptions of calls in progress (`a=crypto`, RFC 4568), sealed with the leg's
 * id in the database. The remaining description is not secret.
 */
import type { SipLeg, StandingDialog } from '#src/domain/sip-leg.ts';
import type { Sealing } from '../database/sealing.ts';

const keys = /(?<=inline:)[^\s;]+/g;

/** Format of `Sealing.seal`: media keys are base64 and contain no dot. */
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

export const sealLeg = (sealing: Pick<Sealing, 'seal'>, id: string, leg: SipLeg): SipLeg =>
  inDescriptions(leg, (description) => description.replace(keys, (key) => sealing.seal(key, id)));

/** Keeps keys that an older gateway did not seal. A leg whose keys no master key opens can only be ended. */
export const openLeg = (sealing: Pick<Sealing, 'open'>, id: string, leg: SipLeg): SipLeg => {
  try {
    return inDescriptions(leg, (description) =>
      description.replace(sealedKeys, (sealed) => sealing.open(sealed, id)),
    );
  } catch {
    return { ...leg, dialog: null };
  }
};
