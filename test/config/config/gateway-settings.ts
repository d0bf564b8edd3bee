/** Expectations of the settings of the gateway itself, its database and its external dependencies. */
import { resolve } from 'node:path';
import { databaseUrl, masterKey, notWhole, type ExpectedSettings } from './expected-setting.ts';

export const gatewaySettings: ExpectedSettings = {
  GW_PORT: {
    of: ({ port }) => port,
    default: 8080,
    valid: { 0: 0, 65535: 65_535 },
    invalid: [...notWhole, '65536'],
  },
  GW_HOST: {
    of: ({ host }) => host,
    default: '127.0.0.1',
    valid: { '0.0.0.0': '0.0.0.0', '::1': '::1', localhost: 'localhost' },
    invalid: ['a host', 'http://localhost', 'host/'],
  },
  GW_DATA_DIR: {
    of: ({ dataFolder }) => dataFolder,
    default: resolve('.data'),
    valid: { '/var/lib/trunkline': '/var/lib/trunkline', here: resolve('here') },
    invalid: [],
  },
  GW_DATABASE_URL: {
    of: (config) => config.databaseUrl,
    default: null,
    valid: {
      [databaseUrl]: databaseUrl,
      'postgres://localhost/x?host=%2Frun': 'postgres://localhost/x?host=%2Frun',
      'postgresql://u:a,b@one.example:1,[::1],two.example/x':
        'postgresql://u:a,b@one.example:1,[::1],two.example/x',
    },
    invalid: [
      'db.example',
      'mysql://u:hush-hush@db.example/x',
      'postgresql://u:hush-hush@db.example:99999/x',
      'postgresql://u:hush-hush@db.example/%zz',
      'postgresql://u:hush-hush@one.example,two.example:99999/x',
    ],
    with: { GW_MASTER_KEY: masterKey },
  },
  GW_DATABASE_POOL: {
    of: ({ databasePool }) => databasePool,
    default: 10,
    valid: { 2: 2, 200: 200 },
    invalid: [...notWhole, '1', '201'],
  },
  GW_DATABASE_JOURNAL_POOL: {
    of: ({ databaseJournalPool }) => databaseJournalPool,
    default: 5,
    valid: { 1: 1, 200: 200 },
    invalid: [...notWhole, '0', '201'],
  },
  GW_MASTER_KEY: {
    of: (config) => config.masterKey,
    default: null,
    valid: { [masterKey]: Buffer.alloc(32, 1) },
    invalid: ['hush-hush', Buffer.alloc(31).toString('base64'), Buffer.alloc(32).toString('hex')],
  },
  GW_OLD_MASTER_KEYS: {
    of: (config) => config.oldMasterKeys,
    default: [],
    valid: {
      [masterKey]: [Buffer.alloc(32, 1)],
      [`${masterKey}, ${masterKey}`]: [Buffer.alloc(32, 1), Buffer.alloc(32, 1)],
    },
    invalid: ['hush-hush', `${masterKey},hush-hush`],
  },
  GW_NODE: {
    of: ({ node }) => node,
    default: 'gateway',
    valid: { 'node-1.example_a': 'node-1.example_a' },
    invalid: ['two words', 'n'.repeat(65), 'a/b'],
  },
  GW_NODE_URL: {
    of: ({ nodeUrl }) => nodeUrl,
    default: null,
    valid: { 'http://10.0.0.5:8080': 'http://10.0.0.5:8080', 'https://one.example': 'https://one.example' },
    invalid: ['one.example', 'ftp://one.example', 'https://user@one.example'],
  },
  GW_LINES: {
    of: ({ lines }) => lines,
    default: 'simulator',
    valid: { simulator: 'simulator', drachtio: 'drachtio', none: 'none' },
    invalid: ['asterisk', 'Simulator'],
  },
  GW_SIMULATOR_SPEED: {
    of: ({ simulatorSpeed }) => simulatorSpeed,
    default: 1,
    valid: { '0.1': 0.1, 10: 10, 1000: 1000 },
    invalid: ['0', '0.09', '1001', '-1', '.5', 'fast', '1e2'],
  },
  GW_COUNTRY: {
    of: ({ country }) => country,
    default: 'KR',
    valid: { JP: 'JP' },
    invalid: ['kr', 'KOR', '82'],
  },
  GW_NATS_URL: {
    of: ({ nats }) => nats,
    default: null,
    valid: {
      'nats://127.0.0.1:4222': { servers: ['127.0.0.1:4222'], isEncrypted: false, credentials: null },
      'nats://one, nats://[::1]:4333': {
        servers: ['one:4222', '[::1]:4333'],
        isEncrypted: false,
        credentials: null,
      },
      'tls://trunkline:s%40fe@nats.example.com,tls://other.example.com': {
        servers: ['nats.example.com:4222', 'other.example.com:4222'],
        isEncrypted: true,
        credentials: { user: 'trunkline', password: 's@fe' },
      },
      'nats://a-token@host': {
        servers: ['host:4222'],
        isEncrypted: false,
        credentials: { token: 'a-token' },
      },
    },
    invalid: [
      'host:4222',
      'http://host',
      'nats://host/path',
      'nats://host,',
      'nats://one,tls://two',
      'nats://one,nats://user:password@two',
      'nats://%zz@host',
    ],
  },
  GW_DAILY_MINUTES: {
    of: ({ dailyMinutes }) => dailyMinutes,
    default: null,
    valid: { 1: 1, 1000000: 1_000_000 },
    invalid: [...notWhole, '0', '1000001'],
  },
  GW_DESTINATIONS: {
    of: ({ destinations }) => destinations,
    default: null,
    valid: {
      mobile: ['mobile'],
      'mobile, fixed_line,+4420,!0505': ['mobile', 'fixed_line', '+4420', '!0505'],
    },
    invalid: ['mobile,', 'mobile fixed_line', '010-1234', '!', '+', '!mobile', '1234567890123456'],
  },
  GW_MAX_CALLS: {
    of: ({ maxCalls }) => maxCalls,
    default: 5_000,
    valid: { 1: 1, 100000: 100_000 },
    invalid: [...notWhole, '0', '100001'],
  },
  GW_MAX_DELAY_MS: {
    of: ({ maxDelayMs }) => maxDelayMs,
    default: 50,
    valid: { 0: 0, 10000: 10_000 },
    invalid: [...notWhole, '10001'],
  },
  GW_RATE_LIMIT: {
    of: ({ rateLimit }) => rateLimit,
    default: 6_000,
    valid: { 0: 0, 10000000: 10_000_000 },
    invalid: [...notWhole, '10000001'],
  },
  GW_DRAIN_SEC: {
    of: ({ drainSec }) => drainSec,
    default: 30,
    valid: { 0: 0, 3600: 3_600 },
    invalid: [...notWhole, '3601'],
  },
  GW_HAND_OVER: {
    of: ({ handsOver }) => handsOver,
    default: true,
    valid: { auto: true, never: false },
    invalid: ['always', 'AUTO', '1'],
  },
  GW_AGENT_ALLOW_LOOPBACK: {
    of: ({ agentAllowLoopback }) => agentAllowLoopback,
    default: true,
    valid: { 1: true, true: true, 0: false, false: false },
    invalid: ['yes', 'TRUE', '2'],
  },
  GW_AGENT_ALLOWED_HOSTS: {
    of: ({ agentAllowedHosts }) => agentAllowedHosts,
    default: [],
    valid: { 'Agent.internal, ,other.internal,': ['agent.internal', 'other.internal'] },
    invalid: [],
  },
  GW_TRUSTED_PROXIES: {
    of: ({ trustedProxies }) => trustedProxies,
    default: [],
    valid: {
      '127.0.0.1': ['127.0.0.1'],
      '10.0.0.0/8, 2001:db8::/32': ['10.0.0.0/8', '2001:db8::/32'],
    },
    invalid: ['proxy.example', '10.0.0.0/33', '10.0.0.0/8/8', '::/129', '10.0.0.1,', '0.0.0.0/0'],
  },
  GW_TRUNK_ADDRESSES: {
    of: ({ trunkAddresses }) => trunkAddresses,
    default: null,
    valid: {
      public: ['public'],
      'public, 10.1.0.0/16, !10.1.0.1, !loopback': ['public', '10.1.0.0/16', '!10.1.0.1', '!loopback'],
    },
    invalid: ['carrier.example', 'everything', '10.0.0.0/33', 'public,', '!'],
  },
  GW_NAME_SERVERS: {
    of: ({ nameServers }) => nameServers,
    default: null,
    valid: {
      '10.0.0.53, [2001:db8::53]:5353': ['10.0.0.53', '[2001:db8::53]:5353'],
      '127.0.0.1:5353': ['127.0.0.1:5353'],
      '2001:db8::53': ['2001:db8::53'],
    },
    invalid: [
      'dns.example.com',
      '10.0.0.53:0',
      '10.0.0.53:65536',
      '[10.0.0.53]:53',
      '[::1]',
      '10.0.0.53,',
      '::1:x',
    ],
  },
  GW_AGENT_CA_FILE: {
    of: ({ agentCaFile }) => agentCaFile,
    default: null,
    valid: { '/etc/ca.pem': '/etc/ca.pem' },
    invalid: [],
  },
  GW_SIP_TRACE_DAYS: {
    of: ({ sipTraceDays }) => sipTraceDays,
    default: 7,
    valid: { 0: 0, 30: 30 },
    invalid: [...notWhole, '3651'],
  },
  GW_HEP: {
    of: ({ hep }) => hep,
    default: null,
    valid: {
      'homer.example': { host: 'homer.example', port: 9_060, captureId: 2_001, password: null },
      '192.0.2.7:9063': { host: '192.0.2.7', port: 9_063, captureId: 2_001, password: null },
    },
    invalid: ['udp:homer.example:9060', 'homer.example:0'],
  },
  GW_HEP_ID: {
    of: ({ hep }) => hep?.captureId,
    default: 2_001,
    valid: { 7: 7 },
    invalid: [...notWhole, '4294967296'],
    with: { GW_HEP: 'homer.example' },
  },
  GW_HEP_PASSWORD: {
    of: ({ hep }) => hep?.password,
    default: null,
    valid: { 'hush-hush': 'hush-hush' },
    invalid: ['hush hush'],
    with: { GW_HEP: 'homer.example' },
  },
  GW_INSPECT: {
    of: ({ inspect }) => inspect,
    default: false,
    valid: { 1: true, 0: false },
    invalid: ['maybe'],
  },
  GW_LOG_LEVEL: {
    of: ({ logLevel }) => logLevel,
    default: 'info',
    valid: { debug: 'debug', warn: 'warn', error: 'error', silent: 'silent' },
    invalid: ['trace', 'INFO', '30'],
  },
  GW_LOG_FORMAT: {
    of: ({ logFormat }) => logFormat,
    default: 'json',
    valid: { pretty: 'pretty', json: 'json' },
    invalid: ['text'],
  },
};
