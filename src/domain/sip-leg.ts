/** One leg of a call with everything needed to end its far end after its process died (RFC 3261 section 12). */
export type SipLeg = {
  /** An inbound INVITE without final response; an outbound one without final response; answered with 200. */
  state: 'arriving' | 'inviting' | 'standing';
  /** Ids of the INVITE and of its dialog in drachtio-server. */
  transactionId: string;
  dialogId: string;
  sipCallId: string;
  /** From and To of our requests, with tags as far as they are known. */
  local: string;
  remote: string;
  /** The far end's Contact, and the next hop if it differs. */
  target: string;
  nextHop: string | null;
  /** Route set in the order of our requests; not stored by older versions. */
  routes?: readonly string[] | undefined;
  /** Media channel; `null` until it exists. */
  channel: MediaChannel | null;
  /** The person of a transfer; otherwise the other party. */
  isOfTransfer?: boolean | undefined;
  /** State for taking the leg over; `null` if that is impossible, as before the answer. */
  dialog: StandingDialog | null;
};

/** A confirmed dialog as both sides agreed it (RFC 3261 section 12, RFC 3264, RFC 4028). */
export type StandingDialog = {
  /** Whether we (`uac`) or the far end sent the INVITE. */
  type: 'uac' | 'uas';
  localTag: string;
  remoteTag: string;
  /** Our Contact header as sent. */
  localContact: string;
  /** The last session descriptions of both sides. */
  localSdp: string;
  remoteSdp: string;
  /** Whether we refresh the session. */
  weRefresh: boolean;
  /** Session interval in seconds without a refresh; `null` for no limit. */
  expiresSec: number | null;
  /** Whether the far end accepts INFO. */
  takesInfo: boolean;
  /** The trunk whose settings were used for the media. */
  trunkId: string;
};

/** State from which another process takes a line over: its legs with their media channels. */
export type LineCheckpoint = {
  legs: readonly StoredLeg[];
  /**
   * The transfer target that the other party talks to, and the duration of their talk in milliseconds. `null` where the
   * other party talks to the agent: a leg of a transfer is hung up then.
   */
  connectedWith: { to: string; talkedMs: number } | null;
};

/** `id`: key of the stored leg. */
export type StoredLeg = { id: string; leg: SipLeg };

/** An established leg that can be resumed. */
export type Standing = StoredLeg & { agreed: StandingDialog };

/**
 * A FreeSWITCH channel. `server` is its configured `host:port`; `dialog` is drachtio-server's id of the dialog with it,
 * including our Contact.
 */
export type MediaChannel = {
  server: string;
  uuid: string;
  dialog?: { id: string; contact: string } | undefined;
};
