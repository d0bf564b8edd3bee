/**
 * One leg of a call, with all that it takes to end its far end when the process that held it is gone: the side of one
 * INVITE, of whoever sent it (RFC 3261 section 12).
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
  /** The proxies that want to stay in the way, in the order of our requests; a gateway of before has kept none. */
  routes?: readonly string[] | undefined;
  /** Where its sound is; `null` until it has a place. */
  channel: MediaChannel | null;
  /** The person to whom the call's other party is handed; otherwise it is the other party itself. */
  isOfTransfer?: boolean | undefined;
  /** For whoever goes on with it; `null` where nobody can, as before its answer. */
  dialog: StandingDialog | null;
};

/** A dialog that stands, as both sides have agreed it (RFC 3261 section 12, RFC 3264, RFC 4028). */
export type StandingDialog = {
  /** Whether its INVITE was ours (`uac`) or the far end's. */
  type: 'uac' | 'uas';
  localTag: string;
  remoteTag: string;
  /** Our header Contact, as it was said. */
  localContact: string;
  /** The session descriptions that were said last. */
  localSdp: string;
  remoteSdp: string;
  /** Whether it is for us to keep the session alive. */
  weRefresh: boolean;
  /** It is over when nobody has kept it alive for so many seconds; `null` where it may last. */
  expiresSec: number | null;
  /** Whether the far end takes INFO. */
  takesInfo: boolean;
  /** On whose terms its sound was agreed. */
  trunkId: string;
};

/** A call's line as a process that is gone has left it: its far ends, and where their sound is. */
export type LeftLine = { legs: readonly LeftLeg[] };

/** `id`: under which it is kept. */
export type LeftLeg = { id: string; leg: SipLeg };

/**
 * A channel of FreeSWITCH. `server` is its `host:port`, as it was configured; `dialog` what it takes to speak to it within
 * the dialog that it was made with, as drachtio-server names it, and our header Contact in it.
 */
export type MediaChannel = {
  server: string;
  uuid: string;
  dialog?: { id: string; contact: string } | undefined;
};
