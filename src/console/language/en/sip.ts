export const sip = {
  title: 'SIP messages',
  lead: 'What went to and fro between the gateway and the trunk. A message opens when it is chosen; secrets are masked.',
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
    simulated: 'There are none: this call was simulated, and no telephone network took part in it.',
    switched_off: 'There are none: this gateway keeps no SIP messages (GW_SIP_TRACE_DAYS is 0).',
    too_old: 'They are kept no longer: this call is older than the days that this gateway keeps them.',
    none: 'There are none: no SIP message of this call was seen.',
  },
};
