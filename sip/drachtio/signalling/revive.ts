/**
 * A dialog of another process, as drachtio-srf would have it: drachtio-server knows it by its id, and takes requests in it
 * of any client. By way of the relay (sip/relay) whoever acts in it is told what the far end asks, too.
 */
import type Srf from 'drachtio-srf';
import Dialog from 'drachtio-srf/lib/dialog.js';
import type { SipLeg, StandingDialog } from '#src/domain/sip-leg.ts';
import { controlAgentOf } from './connection-guard.ts';
import type { SendCommand } from './end-leg.ts';

/** The leg's INVITE and its answer, as messages. */
const messagesOf = (leg: SipLeg, dialog: StandingDialog, agent: unknown) => {
  const isOurs = dialog.type === 'uac';
  const side = (contact: string, fromTag: string, toTag: string) => ({
    get: (name: string) => (name === 'Contact' ? contact : leg.sipCallId),
    getParsedHeader(name: string): { params: { tag: string } } | [{ uri: string }] {
      if (name === 'Contact') return [{ uri: contact }];
      return { params: { tag: name === 'from' ? fromTag : toTag } };
    },
  });
  const { localTag, remoteTag, localContact, localSdp, remoteSdp } = dialog;
  const [fromTag, toTag] = isOurs ? [localTag, remoteTag] : [remoteTag, localTag];
  const ours = side(localContact, fromTag, toTag);
  const theirs = side(leg.target, fromTag, toTag);
  return {
    req: {
      ...(isOurs ? ours : theirs),
      method: 'INVITE' as const,
      uri: leg.target,
      body: isOurs ? localSdp : remoteSdp,
      socket: undefined,
    },
    res: { ...theirs, body: remoteSdp, agent, stackDialogId: leg.dialogId },
    sent: { ...ours, body: localSdp },
  };
};

/** Known to `srf` from now on. */
export const reviveDialog = (srf: Srf, leg: SipLeg, dialog: StandingDialog): Srf.Dialog => {
  const revived = new Dialog(srf, dialog.type, messagesOf(leg, dialog, controlAgentOf(srf)));
  const add: unknown = Reflect.get(srf, 'addDialog');
  if (typeof add !== 'function') throw new Error('drachtio-srf is not as it is known here');
  Reflect.apply(add, srf, [revived]);
  return revived;
};

/**
 * Whether drachtio-server knows the dialog, asked without sending anything to the far end: it refuses a body of no kind
 * where it does. The relay gives what has waited in the dialog to whoever asks this. Rejects when there is no answer.
 */
export const dialogStands = async (dialogId: string, send: SendCommand): Promise<boolean> => {
  try {
    await send({ dialogId, sip: 'OPTIONS sip:placeholder SIP/2.0\r\nContent-Length: 1\r\n\r\n-' });
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    if (reason.includes('missing content-type')) return true;
    if (reason.includes('unable to find dialog')) return false;
    throw error;
  }
};
