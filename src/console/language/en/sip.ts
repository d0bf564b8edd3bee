export const sip = {
  title: 'SIP messages',
  lead: 'Messages between the gateway and the trunk. Select a message to read it. Secrets are masked.',
  gateway: 'Gateway',
  trunk: 'Trunk',
  attempt: (attempt: number, all: number) => `Attempt ${attempt} of ${all}`,
  /** Directions, which screen readers announce before each message. */
  way: { out: 'Gateway to trunk:', in: 'Trunk to gateway:' },
  leftOut: (count: number) =>
    count === 1 ? 'One message was not kept.' : `${count} messages were not kept.`,
  asText: 'Text',
  asPcap: 'Capture file (pcap)',
  failed: 'The download failed. Try again.',
  empty: {
    simulated: 'No messages: this call was simulated, without a telephone network.',
    switched_off: 'No messages: this gateway does not keep SIP messages (GW_SIP_TRACE_DAYS is 0).',
    too_old: 'No messages: this call is older than this gateway keeps them.',
    none: 'No messages: no SIP message of this call was seen.',
  },
};
