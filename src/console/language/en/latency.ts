export const latency = {
  title: 'Reply latency',
  /** `wait` and the figures in `parts` are formatted; the parts are in order of their size. */
  share: (wait: string, parts: string) => `${wait}: ${parts}`,
  parts: {
    agent: (ms: string) => `${ms} your agent`,
    endpointing: (ms: string) => `${ms} end of speech`,
    voice: (ms: string) => `${ms} voice`,
    gateway: (ms: string) => `${ms} gateway`,
  },
  shareLead: 'Median time from the end of speech to the first sound of the reply, and what it consists of.',
  measured: (turns: string, calls: string) => `Turns: ${turns}, calls: ${calls}.`,
  slowest: (percentile: string) => `With so few turns, ${percentile} is the slowest turn.`,
  none: 'No replies were measured in this period.',
  asTable: 'As a table',
  stage: 'Stage',
  stages: {
    wait_ms: 'Total',
    endpointing_ms: 'End of speech detected',
    first_token_ms: 'First word, from the request',
    first_sentence_ms: 'First sentence, from the request',
    first_audio_ms: 'First sound, from the request',
  },
  before: (figure: string) => `before ${figure}`,
  period: 'Time',
  periods: { day: 'Last 24 hours', week: 'Last 7 days' },
  agents: 'By agent',
};
