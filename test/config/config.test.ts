import { resolve } from 'node:path';
import test from 'ava';
import { ConfigError, readConfig, type Config } from '#config/config.ts';
import { readFileSync } from 'node:fs';

const masterKey = Buffer.alloc(32, 1).toString('base64');
const databaseUrl = 'postgresql://trunkline:hush-hush@db.example:5432/trunkline';
const real = { GW_LINES: 'drachtio', GW_TRUNK: 'sip.example:5060' };

const read = (environment: Record<string, string> = {}): Config => readConfig(environment, false);

const refused = (environment: Record<string, string>): string => {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error(`This was accepted: ${JSON.stringify(environment)}`);
};

type Setting = {
  /** What the setting becomes. */
  of: (config: Config) => unknown;
  default: unknown;
  /** Accepted texts and what they become. */
  valid: Readonly<Record<string, unknown>>;
  invalid: readonly string[];
  /** Other settings that it needs to be of any effect. */
  with?: Record<string, string>;
};

/** What engines need that have no default. */
const engineSettings = {
  GW_DEEPGRAM_API_KEY: 'hush-hush',
  GW_ELEVENLABS_API_KEY: 'hush-hush',
  GW_ELEVENLABS_VOICE: 'v',
  GW_SPEECH_BASE_URL: 'https://speech.example/v1',
  GW_VOSK_URL: 'ws://127.0.0.1:2700',
  GW_WHISPER_URL: 'http://127.0.0.1:8080',
};

/** A store's settings, but for what is optional. */
const storeSettings = {
  GW_RECORDINGS_S3_ENDPOINT: 'https://s3.example',
  GW_RECORDINGS_S3_BUCKET: 'calls',
  GW_RECORDINGS_S3_ACCESS_KEY: 'hush-hush',
  GW_RECORDINGS_S3_SECRET_KEY: 'hush-hush',
};

const notWhole = ['-1', '1.5', '1e3', ' 1', 'ten', '0x10', '99999999999'];

const settings: Readonly<Record<string, Setting>> = {
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
    },
    invalid: [
      'db.example',
      'mysql://u:hush-hush@db.example/x',
      'postgresql://u:hush-hush@db.example:99999/x',
      'postgresql://u:hush-hush@db.example/%zz',
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
  GW_MAX_CALLS: {
    of: ({ maxCalls }) => maxCalls,
    default: 5_000,
    valid: { 1: 1, 100000: 100_000 },
    invalid: [...notWhole, '0', '100001'],
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
  GW_LLM_BASE_URL: {
    of: ({ languageModel }) => languageModel?.baseUrl ?? null,
    default: null,
    valid: {
      'https://models.example/v1': 'https://models.example/v1',
      'http://10.0.0.5:11434/v1': 'http://10.0.0.5:11434/v1',
    },
    invalid: ['models.example', 'ftp://models.example', 'https://user@models.example/v1', 'https://x/#y'],
    with: { GW_LLM_MODEL: 'small' },
  },
  GW_LLM_MODEL: {
    of: ({ languageModel }) => languageModel?.model ?? null,
    default: null,
    valid: { 'vendor/small-1.5:8b': 'vendor/small-1.5:8b' },
    invalid: [],
    with: { GW_LLM_BASE_URL: 'https://models.example/v1' },
  },
  GW_LLM_API_KEY: {
    of: ({ languageModel }) => languageModel?.apiKey ?? null,
    default: null,
    valid: { 'hush-hush': 'hush-hush' },
    invalid: ['hush-hush key', 'hush-hush\n', 'hush-hush–'],
    with: { GW_LLM_BASE_URL: 'https://models.example/v1', GW_LLM_MODEL: 'small' },
  },
  GW_RECOGNIZERS: {
    of: ({ speech }) => speech.recognizers.map(({ engine }) => engine),
    default: [],
    valid: {
      vosk: ['vosk'],
      'deepgram, openai-transcription,vosk,whisper-cpp': [
        'deepgram',
        'openai-transcription',
        'vosk',
        'whisper-cpp',
      ],
    },
    invalid: ['sphinx', 'vosk,', ',', 'vosk,vosk', 'elevenlabs', 'Deepgram'],
    with: engineSettings,
  },
  GW_SYNTHESIZERS: {
    of: ({ speech }) => speech.synthesizers.map(({ engine }) => engine),
    default: [],
    valid: {
      'espeak-ng': ['espeak-ng'],
      'elevenlabs,deepgram-aura, openai-speech': ['elevenlabs', 'deepgram-aura', 'openai-speech'],
    },
    invalid: ['festival', 'espeak-ng,espeak-ng', 'deepgram', ' '],
    with: engineSettings,
  },
  GW_DEEPGRAM_API_KEY: {
    of: ({ speech }) => speech.recognizers.map((engine) => 'key' in engine && engine.key),
    default: [],
    valid: { 'hush-hush': ['hush-hush'] },
    invalid: ['hush-hush key', 'hush-hush\n'],
    with: { GW_RECOGNIZERS: 'deepgram' },
  },
  GW_DEEPGRAM_URL: {
    of: ({ speech }) => speech.recognizers.map(({ url }) => url),
    default: ['https://api.deepgram.com'],
    valid: { 'http://deepgram.internal:8080/': ['http://deepgram.internal:8080'] },
    invalid: ['wss://deepgram.internal', 'deepgram.internal', 'https://x@y', 'https://x/?y=z'],
    with: { GW_RECOGNIZERS: 'deepgram', GW_DEEPGRAM_API_KEY: 'k' },
  },
  GW_ELEVENLABS_API_KEY: {
    of: ({ speech }) => speech.synthesizers.map((engine) => 'key' in engine && engine.key),
    default: [],
    valid: { 'hush-hush': ['hush-hush'] },
    invalid: ['hush-hush key', 'hush-hush–'],
    with: { GW_SYNTHESIZERS: 'elevenlabs', GW_ELEVENLABS_VOICE: 'v' },
  },
  GW_ELEVENLABS_URL: {
    of: ({ speech }) => speech.synthesizers.map((engine) => 'url' in engine && engine.url),
    default: ['https://api.elevenlabs.io'],
    valid: { 'https://api.eu.residency.elevenlabs.io//': ['https://api.eu.residency.elevenlabs.io'] },
    invalid: ['api.elevenlabs.io', 'ws://x'],
    with: { GW_SYNTHESIZERS: 'elevenlabs', GW_ELEVENLABS_API_KEY: 'k', GW_ELEVENLABS_VOICE: 'v' },
  },
  GW_ELEVENLABS_VOICE: {
    of: ({ speech }) => speech.synthesizers.map((engine) => 'voice' in engine && engine.voice),
    default: [],
    valid: { JBFqnCBsd6RMkjVDRZzb: ['JBFqnCBsd6RMkjVDRZzb'] },
    invalid: ['a voice', '../x'],
    with: { GW_SYNTHESIZERS: 'elevenlabs', GW_ELEVENLABS_API_KEY: 'k' },
  },
  GW_SPEECH_BASE_URL: {
    of: ({ speech }) => speech.recognizers.map(({ url }) => url),
    default: [],
    valid: { 'http://127.0.0.1:8000/v1/': ['http://127.0.0.1:8000/v1'] },
    invalid: ['127.0.0.1:8000', 'https://x/v1?y', 'https://x/#y'],
    with: { GW_RECOGNIZERS: 'openai-transcription' },
  },
  GW_SPEECH_API_KEY: {
    of: ({ speech }) => speech.recognizers.map((engine) => 'key' in engine && engine.key),
    default: [null],
    valid: { 'hush-hush': ['hush-hush'] },
    invalid: ['hush-hush key'],
    with: { GW_RECOGNIZERS: 'openai-transcription', GW_SPEECH_BASE_URL: 'https://x/v1' },
  },
  GW_SPEECH_RECOGNITION_MODEL: {
    of: ({ speech }) => speech.recognizers.map((engine) => 'model' in engine && engine.model),
    default: ['gpt-4o-mini-transcribe'],
    valid: { 'Systran/faster-whisper-small': ['Systran/faster-whisper-small'] },
    invalid: [],
    with: { GW_RECOGNIZERS: 'openai-transcription', GW_SPEECH_BASE_URL: 'https://x/v1' },
  },
  GW_SPEECH_SYNTHESIS_MODEL: {
    of: ({ speech }) => speech.synthesizers.map((engine) => 'model' in engine && engine.model),
    default: ['gpt-4o-mini-tts'],
    valid: { kokoro: ['kokoro'] },
    invalid: [],
    with: { GW_SYNTHESIZERS: 'openai-speech', GW_SPEECH_BASE_URL: 'https://x/v1' },
  },
  GW_SPEECH_VOICE: {
    of: ({ speech }) => speech.synthesizers.map((engine) => 'voice' in engine && engine.voice),
    default: ['alloy'],
    valid: { af_sky: ['af_sky'] },
    invalid: [],
    with: { GW_SYNTHESIZERS: 'openai-speech', GW_SPEECH_BASE_URL: 'https://x/v1' },
  },
  GW_VOSK_URL: {
    of: ({ speech }) => speech.recognizers.map(({ url }) => url),
    default: [],
    valid: { 'ws://127.0.0.1:2700': ['ws://127.0.0.1:2700'], 'wss://vosk/?a=b': ['wss://vosk/?a=b'] },
    invalid: ['http://127.0.0.1:2700', 'vosk:2700', 'ws://x/#y'],
    with: { GW_RECOGNIZERS: 'vosk' },
  },
  GW_WHISPER_URL: {
    of: ({ speech }) => speech.recognizers.map(({ url }) => url),
    default: [],
    valid: { 'http://127.0.0.1:8080/': ['http://127.0.0.1:8080'] },
    invalid: ['ws://127.0.0.1:8080', '127.0.0.1'],
    with: { GW_RECOGNIZERS: 'whisper-cpp' },
  },
  GW_RECORDINGS_FORMAT: {
    of: ({ recordings }) => recordings.format,
    default: 'ogg',
    valid: { ogg: 'ogg', mp3: 'mp3' },
    invalid: ['wav', 'OGG'],
  },
  GW_RECORDINGS_S3_ENDPOINT: {
    of: ({ recordings }) => recordings.store?.endpoint ?? null,
    default: null,
    valid: {
      'https://s3.example': 'https://s3.example',
      'https://s3.example:9000/': 'https://s3.example:9000',
      'http://127.0.0.1:9000': 'http://127.0.0.1:9000',
      'http://localhost:9000': 'http://localhost:9000',
      'http://[::1]:9000': 'http://[::1]:9000',
    },
    invalid: [
      's3.example',
      'http://s3.example',
      'http://127.0.0.1.example:9000',
      'https://key:hush-hush@s3.example',
      'https://s3.example/calls',
      'https://s3.example/?a=b',
      'ftp://s3.example',
    ],
    with: storeSettings,
  },
  GW_RECORDINGS_S3_BUCKET: {
    of: ({ recordings }) => recordings.store?.bucket ?? null,
    default: null,
    valid: { 'my.calls-2026': 'my.calls-2026' },
    invalid: ['ab', 'Calls', 'a/b', '-calls', 'c'.repeat(64)],
    with: storeSettings,
  },
  GW_RECORDINGS_S3_REGION: {
    of: ({ recordings }) => recordings.store?.region ?? 'us-east-1',
    default: 'us-east-1',
    valid: { 'eu-central-1': 'eu-central-1', auto: 'auto' },
    invalid: ['eu central', 'eu/1'],
    with: storeSettings,
  },
  GW_RECORDINGS_S3_ACCESS_KEY: {
    of: ({ recordings }) => recordings.store?.accessKey ?? null,
    default: null,
    valid: { AKIA123: 'AKIA123' },
    invalid: ['hush-hush key'],
    with: storeSettings,
  },
  GW_RECORDINGS_S3_SECRET_KEY: {
    of: ({ recordings }) => recordings.store?.secretKey ?? null,
    default: null,
    valid: { 'a/b+c=': 'a/b+c=' },
    invalid: ['hush-hush key'],
    with: storeSettings,
  },
  GW_RECORDINGS_S3_PREFIX: {
    of: ({ recordings }) => recordings.store?.prefix ?? '',
    default: '',
    valid: { 'recordings/gateway-1': 'recordings/gateway-1/', 'a/': 'a/' },
    invalid: ['/', '/a', 'a//b', 'a b', 'a?b'],
    with: storeSettings,
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
    },
    invalid: ['media:99999', 'me dia', 'one,', ',', 'one,two:0', 'one,one:8021'],
    with: real,
  },
  GW_FREESWITCH_SECRET: {
    of: ({ realLines }) => realLines?.freeSwitches[0]?.secret,
    default: 'ClueCon',
    valid: { 'hush-hush': 'hush-hush' },
    invalid: [],
    with: real,
  },
  GW_MEDIA_HOST: {
    of: ({ realLines }) => realLines?.media.host,
    default: '127.0.0.1',
    valid: { '192.0.2.7': '192.0.2.7' },
    invalid: ['media.example', 'http://192.0.2.7'],
    with: real,
  },
  GW_MEDIA_PORT: {
    of: ({ realLines }) => realLines?.media.port,
    default: 0,
    valid: { 8090: 8_090 },
    invalid: [...notWhole, '65536'],
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

/** Where one is given, the others must be. */
const requiredTogether = new Set([
  'GW_LLM_BASE_URL',
  'GW_LLM_MODEL',
  'GW_DEEPGRAM_API_KEY',
  'GW_ELEVENLABS_API_KEY',
  'GW_ELEVENLABS_VOICE',
  'GW_SPEECH_BASE_URL',
  'GW_VOSK_URL',
  'GW_WHISPER_URL',
  ...Object.keys(storeSettings),
]);

for (const [name, { of, default: fallback, valid, invalid, with: others = {} }] of Object.entries(settings)) {
  const { [name]: _own, ...needed } = others;

  test(`${name} has its default when it is absent or empty`, (t) => {
    // What needs it is left out where it has no default of its own.
    const base = requiredTogether.has(name) ? {} : needed;
    t.deepEqual(of(read(base)), fallback);
    t.deepEqual(of(read({ ...base, [name]: '' })), fallback);
  });

  test(`${name} takes what is valid`, (t) => {
    for (const [text, value] of Object.entries(valid)) {
      t.deepEqual(of(read({ ...needed, [name]: text })), value, text);
    }
  });

  if (invalid.length > 0) {
    test(`${name} refuses everything else with one line that names it, and tells no secret`, (t) => {
      for (const text of invalid) {
        const message = refused({ ...needed, [name]: text });
        t.true(message.startsWith(`${name} must `), message);
        t.notRegex(message, /\n/);
        t.notRegex(message, /hush-hush/, text);
      }
    });
  }
}

test('every setting is in the table of the guide with its default, and here', (t) => {
  const page = readFileSync(new URL('../../guides/settings.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| `(GW_\w+)`/gm)].map(([, name]) => name);
  t.is(documented.length, Object.keys(settings).length);
  for (const name of Object.keys(settings)) t.true(documented.includes(name), name);
  t.deepEqual(read(Object.fromEntries(Object.keys(settings).map((name) => [name, '']))).unknownNames, []);
});

test('a wrong value is shown as it is, on one line', (t) => {
  t.is(refused({ GW_PORT: '80\n80' }), 'GW_PORT must be a whole number from 0 to 65535 (it is "80\\n80")');
});

test('the master key is required with a configured database', (t) => {
  t.regex(refused({ GW_DATABASE_URL: databaseUrl }), /^GW_MASTER_KEY is required with GW_DATABASE_URL: /);
  t.notRegex(refused({ GW_DATABASE_URL: databaseUrl }), /hush-hush|\n/);
});

test('real lines may do with the trunks of the workspaces, and simulated ones know none', (t) => {
  t.is(read({ GW_LINES: 'drachtio' }).realLines?.trunkAddress, null);
  t.is(read({ GW_TRUNK: 'sip.example' }).realLines, null);
});

test('a language model has an address and a name', (t) => {
  t.is(read().languageModel, null);
  t.regex(refused({ GW_LLM_BASE_URL: 'https://models.example/v1' }), /^GW_LLM_MODEL is required with /);
  t.regex(refused({ GW_LLM_MODEL: 'small' }), /^GW_LLM_BASE_URL is required with /);
  t.regex(refused({ GW_LLM_API_KEY: 'hush-hush' }), /^GW_LLM_BASE_URL is required with (?!.*hush)/);
});

test('a store for recordings is whole, or there is none', (t) => {
  t.is(read().recordings.store, null);
  for (const name of Object.keys(storeSettings)) {
    const message = refused({ ...storeSettings, [name]: '' });
    t.regex(message, new RegExp(`^.*${name}.* required `));
    t.notRegex(message, /hush-hush|\n/);
  }
});

test('an engine without its key or address stops the start', (t) => {
  const needs: Record<string, [string, ...string[]]> = {
    GW_DEEPGRAM_API_KEY: ['GW_RECOGNIZERS', 'deepgram'],
    GW_VOSK_URL: ['GW_RECOGNIZERS', 'vosk'],
    GW_WHISPER_URL: ['GW_RECOGNIZERS', 'whisper-cpp'],
    GW_SPEECH_BASE_URL: ['GW_RECOGNIZERS', 'openai-transcription'],
    GW_ELEVENLABS_VOICE: ['GW_SYNTHESIZERS', 'elevenlabs'],
    GW_ELEVENLABS_API_KEY: ['GW_SYNTHESIZERS', 'elevenlabs'],
  };
  for (const [name, [setting, engine = '']] of Object.entries(needs)) {
    const others = { ...engineSettings, [name]: '', [setting]: engine };
    t.is(refused(others), `${name} is required with the engine ${engine}`);
  }
  for (const engine of ['deepgram-aura', 'openai-speech'])
    t.regex(
      refused({ GW_SYNTHESIZERS: engine }),
      new RegExp(`^GW_\\w+ is required with the engine ${engine}$`),
    );
});

test('agents on this machine are allowed with the embedded database alone, unless said otherwise', (t) => {
  const configured = { GW_DATABASE_URL: databaseUrl, GW_MASTER_KEY: masterKey };
  t.false(read(configured).agentAllowLoopback);
  t.true(read({ ...configured, GW_AGENT_ALLOW_LOOPBACK: '1' }).agentAllowLoopback);
});

test('a terminal gets a log for people', (t) => {
  t.is(readConfig({}, true).logFormat, 'pretty');
  t.is(readConfig({ GW_LOG_FORMAT: 'json' }, true).logFormat, 'json');
});

test('mistyped settings are listed, others of the environment are not', (t) => {
  const { unknownNames } = read({
    GW_PROT: '1',
    GW_PORT: '1',
    PORT: '2',
    GW_LOG_LEVELS: 'info',
    GW_EMPTY: '',
  });
  t.deepEqual(unknownNames, ['GW_PROT', 'GW_LOG_LEVELS']);
});

test('a configuration cannot be changed', (t) => {
  t.true(Object.isFrozen(read()));
});
