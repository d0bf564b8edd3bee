import type { SipLeg } from '#src/domain/sip-leg.ts';

/** SRTP keys, which must not be stored in plain text. */
export const keysOfLeg = {
  ours: 'WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz',
  theirs: 'PS1uQCVeeCFCanVmcjkpPywjNWhcYD0mXXtxaVBR|2^20',
} as const;

const description = (key: string): string =>
  [
    'v=0',
    'o=- 1 1 IN IP4 192.0.2.1',
    's=-',
    'm=audio 40000 RTP/SAVP 8',
    `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}`,
    'a=sendrecv',
    '',
  ].join('\r\n');

/** A far end with encrypted audio. */
export const encryptedLeg: SipLeg = {
  state: 'standing',
  transactionId: 'transaction',
  dialogId: 'dialog',
  sipCallId: 'a@b',
  local: '<sip:us@gateway>;tag=us',
  remote: '<sip:them@far>',
  target: 'sip:them@192.0.2.1',
  nextHop: null,
  channel: null,
  dialog: {
    type: 'uac',
    localTag: 'us',
    remoteTag: 'them',
    localContact: '<sip:us@gateway>',
    localSdp: description(keysOfLeg.ours),
    remoteSdp: description(keysOfLeg.theirs),
    weRefresh: false,
    takesInfo: false,
    expiresSec: null,
    trunkId: 'trunk',
  },
};
