/** Stored state of one side of an INVITE, for recovery after a crash: derived from its messages. */
import type Srf from 'drachtio-srf';
import type { MediaChannel, SipLeg, StandingDialog } from '#src/domain/sip-leg.ts';
import { headerOf, type Headers } from '../../headers/header-values.ts';
import { nameAddressesIn, tagIn, uriIn } from '../../headers/name-addresses.ts';

type Received = Headers & Pick<Srf.SipMessage, 'source_address' | 'source_port' | 'protocol'>;

const routesIn = (message: Headers): string[] =>
  nameAddressesIn(headerOf(message, 'Record-Route'))
    .map(({ uri }) => uri)
    .filter((uri) => /^sips?:[\x21-\x7E]+$/i.test(uri));

const hostIn = (uri: string): string => /^sips?:(?:[^@]*@)?(\[[^\]]*\]|[^:;?]*)/i.exec(uri)?.[1] ?? '';

/**
 * Returns the next hop: a record-routing proxy, or the source address of the message if its Contact differs.
 * drachtio-server uses the same rule for messages from behind NAT.
 */
const nextHopOf = (message: Received, proxy: string | undefined): string | null => {
  if (proxy !== undefined) return proxy;
  const { source_address: address, source_port: port, protocol } = message;
  const isThere = hostIn(uriIn(headerOf(message, 'Contact'))) === address;
  return isThere || protocol !== 'udp' ? null : `sip:${address}:${port}`;
};

/** Properties with drachtio-server's own names, which the drachtio-srf types lack. */
const nameOf = (message: object, name: 'stackTxnId' | 'stackDialogId'): string => {
  const value: unknown = Reflect.get(message, name);
  return typeof value === 'string' ? value : '';
};

const begun = (request: Headers) => {
  const sipCallId = headerOf(request, 'Call-ID');
  return {
    transactionId: nameOf(request, 'stackTxnId'),
    // Id in the format that drachtio-server uses for an established dialog.
    dialogId: `${sipCallId};from-tag=${tagIn(headerOf(request, 'From'))}`,
    sipCallId,
  };
};

/** Leg of an incoming INVITE. */
export const arrivingLeg = (request: Received): SipLeg => ({
  state: 'arriving',
  ...begun(request),
  local: headerOf(request, 'To'),
  remote: headerOf(request, 'From'),
  target: uriIn(headerOf(request, 'Contact')),
  nextHop: nextHopOf(request, routesIn(request)[0]),
  routes: routesIn(request),
  channel: null,
  dialog: null,
});

/** Leg of a sent INVITE. */
export const invitingLeg = (request: Srf.SrfRequest, channel: MediaChannel | null): SipLeg => ({
  state: 'inviting',
  ...begun(request),
  local: headerOf(request, 'From'),
  remote: headerOf(request, 'To'),
  target: request.uri,
  nextHop: null,
  channel,
  dialog: null,
});

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** State of an established drachtio-srf dialog, whose types lack the Contact. */
const standingDialog = (
  { type, sip, local, remote }: Srf.Dialog,
  agreed: Pick<StandingDialog, 'weRefresh' | 'expiresSec' | 'takesInfo' | 'trunkId'>,
): StandingDialog => ({
  type,
  localTag: sip.localTag,
  remoteTag: sip.remoteTag,
  localContact: textOf(Reflect.get(local, 'contact')),
  localSdp: textOf(local.sdp),
  remoteSdp: textOf(remote.sdp),
  ...agreed,
});

type Agreed = Parameters<typeof standingDialog>[1];

/** Leg after answering an incoming INVITE. */
export const takenLeg = (
  arriving: SipLeg,
  dialog: Srf.Dialog,
  { channel, ...agreed }: Agreed & { channel: MediaChannel | null },
): SipLeg => ({
  ...arriving,
  state: 'standing',
  local: `${arriving.local};tag=${dialog.sip.localTag}`,
  channel,
  dialog: standingDialog(dialog, agreed),
});

/** Leg after a sent INVITE was answered, without a dialog from which it could be resumed. */
export const acceptedLeg = (inviting: SipLeg, answer: Received): SipLeg => ({
  ...inviting,
  state: 'standing',
  remote: headerOf(answer, 'To'),
  target: uriIn(headerOf(answer, 'Contact')) || inviting.target,
  // Order of the route set: the nearest proxy is the last one for the caller (RFC 3261 section 12.1.2).
  nextHop: nextHopOf(answer, routesIn(answer).at(-1)),
  routes: routesIn(answer).toReversed(),
});

/** Leg after a sent INVITE was answered. */
export const answeredLeg = (
  inviting: SipLeg,
  answer: Received,
  dialog: Srf.Dialog,
  agreed: Agreed,
): SipLeg => ({ ...acceptedLeg(inviting, answer), dialog: standingDialog(dialog, agreed) });
