/** Expectations of the settings of real lines. */
import { notWhole, real, type ExpectedSettings } from './expected-setting.ts';

export const lineSettings: ExpectedSettings = {
  GW_TRUNK: {
    of: ({ realLines }) => realLines?.trunkAddress ?? null,
    default: null,
    valid: { 'sip.example': 'sip.example', '192.0.2.1:5060': '192.0.2.1:5060' },
    invalid: ['sip:sip.example', 'sip.example:0', 'sip.example:70000', 'sip.example:', 'two words'],
    with: { GW_LINES: 'drachtio' },
  },
  GW_TRUNK_NUMBERS: {
    of: ({ realLines }) => realLines?.trunkNumbers,
    default: 'domestic',
    valid: { domestic: 'domestic', e164: 'e164', e164_without_plus: 'e164_without_plus' },
    invalid: ['E164', 'international'],
    with: real,
  },
  GW_DRACHTIO: {
    of: ({ realLines }) => [realLines?.drachtio.host, realLines?.drachtio.port],
    default: ['127.0.0.1', 9022],
    valid: { 'sip-server': ['sip-server', 9022], 'sip-server:9023': ['sip-server', 9023] },
    invalid: ['http://sip-server', 'sip-server:0', 'sip-server:65536', 'a:1:2'],
    with: real,
  },
  // Without one, it is drachtio-server that is asked.
  GW_RELAY: {
    of: ({ realLines }) => [realLines?.drachtio.host, realLines?.drachtio.port],
    default: ['127.0.0.1', 9022],
    valid: { relay: ['relay', 9023], 'relay:9024': ['relay', 9024] },
    invalid: ['http://relay', 'relay:0', 'relay:65536', 'a:1:2'],
    with: real,
  },
  GW_DRACHTIO_SECRET: {
    of: ({ realLines }) => realLines?.drachtio.secret,
    default: 'cymru',
    valid: { 'hush-hush': 'hush-hush' },
    invalid: [],
    with: real,
  },
  GW_FREESWITCH: {
    of: ({ realLines }) => realLines?.freeSwitches.map(({ host, port }) => `${host}:${port}`),
    default: ['127.0.0.1:8021'],
    valid: {
      media: ['media:8021'],
      'media:1': ['media:1'],
      'one, two:8022,one:8023': ['one:8021', 'two:8022', 'one:8023'],
      none: [],
    },
    invalid: ['media:99999', 'me dia', 'one,', ',', 'one,two:0', 'one,one:8021', 'none,one:0'],
    with: real,
  },
  GW_FREESWITCH_SECRET: {
    of: ({ realLines }) => realLines?.freeSwitches[0]?.secret,
    default: 'ClueCon',
    valid: { 'hush-hush': 'hush-hush' },
    invalid: [],
    with: real,
  },
  GW_TRUNK_MEDIA: {
    of: ({ realLines }) => realLines?.trunkMedia,
    default: 'freeswitch',
    valid: { auto: 'auto', direct: 'direct' },
    invalid: ['rtpengine', 'Direct'],
    with: real,
  },
  GW_TRUNK_CODECS: {
    of: ({ realLines }) => realLines?.trunkCodecs,
    default: null,
    valid: { PCMA: ['PCMA'], 'opus, G722,PCMU': ['opus', 'G722', 'PCMU'] },
    invalid: ['G729', 'g722', 'PCMU,PCMU', 'PCMU,'],
    with: real,
  },
  GW_RTP_HOST: {
    of: ({ realLines }) => realLines?.rtp.host,
    default: '127.0.0.1',
    valid: { '192.0.2.7': '192.0.2.7', '2001:db8::7': '2001:db8::7' },
    invalid: ['sound.example', '192.0.2.7:30000'],
    with: real,
  },
  GW_RTP_PORTS: {
    of: ({ realLines }) => realLines?.rtp.ports,
    default: { from: 30_000, to: 39_999 },
    valid: { '20000-20001': { from: 20_000, to: 20_001 } },
    invalid: ['20000', '20000-', '500-600', '30001-30001', '30002-30000', '60000-70000'],
    with: real,
  },
  GW_MEDIA_HOST: {
    of: ({ realLines }) => realLines?.mediaHost,
    default: '127.0.0.1',
    valid: { '192.0.2.7': '192.0.2.7' },
    invalid: ['media.example', 'http://192.0.2.7'],
    with: real,
  },
  GW_RTP_TIMEOUT_SEC: {
    of: ({ realLines }) => realLines?.rtpTimeoutMs,
    default: 30_000,
    valid: { 0: 0, 60: 60_000 },
    invalid: [...notWhole, '3601'],
    with: real,
  },
};
