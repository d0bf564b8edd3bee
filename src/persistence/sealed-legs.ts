/**
 * The keys by which the sound of a standing call is encrypted, in its session descriptions (`a=crypto`, RFC 4568): sealed
 * in the database, about the id of their leg, as other secrets are. The rest of a description is no secret.
 */
import type { SipLeg, StandingDialog } from '#src/domain/sip-leg.ts';
import type { Sealing } from './sealing.ts';

const keys = /(?<=inline:)[^\s;]+/g;

/** What `Sealing.seal` makes: keys themselves are base64, which has no dot. */
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

/** Keys that a gateway of before has not sealed stay as they are. One whose keys no master key opens can only be ended. */
export const openLeg = (sealing: Pick<Sealing, 'open'>, id: string, leg: SipLeg): SipLeg => {
  try {
    return inDescriptions(leg, (description) =>
      description.replace(sealedKeys, (sealed) => sealing.open(sealed, id)),
    );
  } catch {
    return { ...leg, dialog: null };
  }
};
