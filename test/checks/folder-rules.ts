/** Import rules by folder, enforced by `architecture.test.ts`. */

export type Rule = {
  /** Folders whose values and types may be imported. */
  values?: readonly string[];
  /** Folders whose types, but not values, may be imported. */
  types?: readonly string[];
  packages?: readonly string[];
  /** Whether Node's built-in modules may be imported; default true. */
  node?: boolean;
};

/** Rules for every folder of the code; a folder without a rule is an error. */
export const rules: Readonly<Record<string, Rule>> = {
  machines: { packages: ['xstate'], node: false },
  'src/domain': { types: ['machines'], packages: ['libphonenumber-js', 're2js'], node: false },
  /** Audio of one call between the agent and an endpoint: playout, listening, recording. */
  'sip/audio': {
    values: ['src/domain'],
    types: ['machines'],
    packages: ['@echogarden/fvad-wasm', '@echogarden/speex-resampler-wasm', 'pino'],
  },
  /** Session descriptions (SDP): reading, offers, keys. */
  'sip/sdp': { values: ['sip/audio', 'src/domain'], node: false },
  /** RTP, RTCP and SRTP in this process; independent of how SIP is spoken. */
  'sip/rtp': { values: ['sip/audio', 'sip/sdp', 'src/domain'], types: ['machines'] },
  sip: {
    values: ['machines', 'sip/audio', 'sip/rtp', 'sip/sdp', 'src/domain'],
    packages: ['drachtio-fsmrf', 'drachtio-srf', 'pino', 'ws', 'xstate', 'zod'],
  },
  'src/persistence': {
    values: ['src/domain'],
    types: ['machines'],
    packages: [
      '@mikro-orm/core',
      '@mikro-orm/migrations',
      '@mikro-orm/postgresql',
      'kysely',
      'pg',
      'pino',
      'zod',
    ],
  },
  'src/outgoing': { values: ['src/domain'], packages: ['undici'] },
  'src/agents': {
    values: ['src/domain', 'src/outgoing'],
    types: ['machines'],
    packages: ['@opentelemetry/api', 'pino', 'zod'],
  },
  'src/speech': {
    values: ['sip/audio', 'src/domain', 'src/outgoing'],
    packages: ['pino', 'undici', 'ws', 'zod'],
  },
  'src/recordings': {
    values: ['sip/audio', 'src/domain', 'src/persistence'],
    packages: ['pino', 's3mini', 'undici', 'wasm-media-encoders'],
  },
  'src/events': {
    values: ['machines', 'src/domain', 'src/outgoing', 'src/persistence'],
    packages: ['pino', 'xstate'],
  },
  'src/trunks': {
    values: ['src/domain', 'src/persistence'],
    types: ['machines', 'sip'],
    packages: ['pino', 'xstate'],
  },
  'src/cluster': {
    values: ['src/domain', 'src/persistence'],
    packages: ['@nats-io/transport-node', 'pino', 'undici', 'ws', 'zod'],
  },
  'src/calls': {
    values: ['machines', 'src/domain', 'src/persistence'],
    packages: ['@xstate/store', 'pino', 'xstate'],
  },
  /** Survival of calls beyond their process: ownership, checkpoints, hand-over, take-over, orphaned calls and nodes. */
  'src/continuity': {
    values: ['machines', 'src/calls', 'src/cluster', 'src/domain', 'src/persistence'],
    packages: ['pino', 'xstate', 'zod'],
  },
  /** Operations on a workspace for the admin API and the operator's commands. */
  'src/administration': { values: ['src/domain', 'src/events', 'src/persistence'], packages: ['pino'] },
  'src/api': {
    values: ['src/administration', 'src/client', 'src/domain', 'src/events'],
    types: ['src/calls'],
    packages: [
      '@koa/router',
      '@modelcontextprotocol/sdk',
      '@opentelemetry/api',
      'koa',
      'koa-helmet',
      'pino',
      'prom-client',
      'proxy-addr',
      'rate-limiter-flexible',
      'zod',
      'zod-openapi',
    ],
  },
  /**
   * Parts of the commands, which may import the console's texts. The commands themselves are the files above, which
   * read the configuration.
   */
  'src/commands': {
    values: [
      'src/administration',
      'src/api',
      'src/client',
      'src/console',
      'src/domain',
      'src/persistence',
      'src/rehearsals',
    ],
    packages: ['string-width', 'wrap-ansi', 'zod'],
  },
  'src/inspector': { values: ['src/domain'], packages: ['@statelyai/inspect', 'pino', 'ws', 'xstate'] },
  /** Audio of calls for listening admins. */
  'src/listen-in': { values: ['src/domain'], packages: ['pino', 'ws'] },
  /** Pictures of the charts. */
  'src/charts': { values: ['machines'], packages: ['elkjs', 'xstate'] },
  /** Suites of simulated callers: read, run on the simulated line, and judged. */
  'src/rehearsals': {
    values: ['machines', 'src/charts', 'src/domain'],
    packages: ['yaml', 'zod'],
  },
  /** The published client: it runs in browsers and in Node, and imports only its own files. */
  'src/client': { node: false },
  'src/client-generator': { packages: ['oxfmt', 'zod', 'zod-openapi'] },
  'src/console': {
    values: ['src/client', 'src/domain'],
    packages: ['@preact/signals', 'preact', 'zod'],
    node: false,
  },
  /** Metrics, traces, and how busy the event loop is. */
  'src/telemetry': {
    values: ['src/calls', 'src/domain', 'src/persistence'],
    types: ['machines', 'sip', 'src/agents', 'src/api', 'src/trunks'],
    packages: ['@opentelemetry/api', 'pino', 'prom-client'],
  },
  /** Start of the process: data folder, keys, credentials, first workspace. */
  'src/start': {
    values: ['config', 'src/administration', 'src/domain', 'src/persistence'],
    packages: ['pino', 'zod'],
  },
  /** Periodic work: erasing data after its retention, and watching the data folder. */
  'src/housekeeping': { values: ['src/administration', 'src/domain', 'src/persistence'], packages: ['pino'] },
  /** The parts of the gateway, which the composition root connects. */
  'src/parts': {
    values: [
      'config',
      'sip',
      'sip/audio',
      'src/administration',
      'src/agents',
      'src/api',
      'src/calls',
      'src/charts',
      'src/cluster',
      'src/continuity',
      'src/domain',
      'src/events',
      'src/housekeeping',
      'src/inspector',
      'src/listen-in',
      'src/outgoing',
      'src/persistence',
      'src/recordings',
      'src/rehearsals',
      'src/speech',
      'src/start',
      'src/trunks',
    ],
    types: ['machines', 'src/telemetry'],
    packages: ['pino', 'zod'],
  },
  /** drachtio-server and FreeSWITCH as child processes, for the command that starts them. */
  'src/servers': { values: ['sip'], types: ['config'] },
  /** The files beside the composition root: its clock, its log, its version. */
  src: { values: ['src/domain'], packages: ['pino', 'pino-pretty', 'zod'] },
  config: { packages: ['vite', 'zod'] },
};

/** The composition root and the commands, which alone read the configuration; tests and benchmarks. */
export const unruled = [
  'src/commands/admin.ts',
  'src/commands/call.ts',
  'src/commands/cluster.ts',
  'src/commands/credentials.ts',
  'src/commands/generate-charts.ts',
  'src/commands/generate-client.ts',
  'src/commands/list-components.ts',
  'src/commands/mcp.ts',
  'src/commands/rehearse.ts',
  'src/commands/relay.ts',
  'src/commands/servers.ts',
  'src/commands/trunk-check.ts',
  'src/commands/try-agent.ts',
  'src/gateway.ts',
  'src/main.mjs',
  'src/run-gateway.ts',
  'test',
  'bench',
];

export const mayProvide = ['src/gateway.ts', 'test', 'bench'];
