/**
 * What it takes to end the far end of a call when the process that held it is gone: the side of one INVITE, of whoever
 * sent it (RFC 3261 section 12).
 */
export type SipLeg = {
  /** An INVITE came and has no final answer; one was sent and has none; it was answered with 200. */
  state: 'arriving' | 'inviting' | 'standing';
  /** Of the INVITE, and of the dialog that comes of it, as drachtio-server names them. */
  transactionId: string;
  dialogId: string;
  sipCallId: string;
  /** For the From and To of a request of ours, with their tags as far as they are known. */
  local: string;
  remote: string;
  /** Whom requests of ours are for, the other side's Contact, and where they go first when that is elsewhere. */
  target: string;
  nextHop: string | null;
  /** Where its sound is; `null` until it has a place. */
  channel: MediaChannel | null;
};

/** A channel of FreeSWITCH. `server` is its `host:port`, as it was configured. */
export type MediaChannel = { server: string; uuid: string };
